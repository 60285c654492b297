//! PAW's files.

//! Operations on windows, served where they point to.

//! The command as a user starts it: what it says, what it leaves behind, and what it exits with.

mod again;
mod bad_input;
mod bad_variables;
mod campaigns;
mod colours;
mod damaged;
mod doctor;
mod everyday;
mod face;
mod files;
mod guides;
mod history;
mod importing;
mod importing_tables;
mod launching;
mod machines;
mod names;
mod pipes;
mod prose;
mod running;
mod secrets;
mod selftest;
mod signals;
mod workplace;
mod wrong_library;

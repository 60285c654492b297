//! Hosts that are namespaces of this machine, joined by a link of known delay, rate and loss, for jobs of real MPI libraries.
//!
//! Every host has its own name, network, processes and `/dev/shm`; the file system is one, as a cluster's home. No file, interface or
//! process outlives [`hosts::Hosts`], however its owner ends: namespaces end with their first process, which ends when nobody holds
//! its standard input any more.

#![deny(unsafe_code)]

pub mod address;
pub mod fault;
pub mod host;
pub mod hosts;
pub mod hub;
pub mod job;
pub mod link;
pub mod process;
pub mod relay;
pub mod shell;
pub mod sys;
pub mod table;

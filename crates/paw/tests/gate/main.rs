//! `paw gate`, as a user and as CI start it.

mod cluster;
#[allow(dead_code)]
#[path = "../../../paw-data/tests/baseline/constructed.rs"]
mod constructed;
mod judging;
mod outputs;
mod place;
mod references;

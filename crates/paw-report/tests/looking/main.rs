//! What every view makes of small runs written by hand.

mod application;
mod compare;
mod core_pairs;
mod device_pairs;
mod devices;
mod division;
mod guidelines;
mod handmade;
mod hardware;
mod html;
mod implementations;
mod kernel;
#[path = "../../examples/sample_report/kernels.rs"]
mod kernels;
mod load_curve;
mod markdown;
mod messages;
mod nodes;
mod noise;
#[path = "../../examples/sample_report/programs.rs"]
mod programs;
mod rank_pairs;
mod ranking;
mod ranks;
mod roofline;
mod side_by_side;
mod text;

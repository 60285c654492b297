//! Trains of messages that an answer follows: the values of [`axis::TRAIN`].

use crate::axis;
use crate::point::Point;

/// One message.
pub const SINGLE: &str = "single";
/// Several, one after the other.
pub const TOGETHER: &str = "together";
/// Several, each of which leaves when the one before it has long arrived; what passes between them is not counted.
pub const APART: &str = "apart";

/// Messages of a train that is no single message.
const MESSAGES: i64 = 16;

/// Whether `point` is that of a train.
pub fn is_train(point: &Point) -> bool {
    point.text(axis::TRAIN).is_some()
}

/// How many messages the train at `point` has.
pub fn messages(point: &Point) -> i64 {
    if point.text(axis::TRAIN) == Some(SINGLE) { 1 } else { MESSAGES }
}

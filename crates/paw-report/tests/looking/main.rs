//! What every view makes of small runs written by hand.

mod compare;
mod handmade;
mod html;
mod markdown;
mod messages;
mod ranks;
mod text;

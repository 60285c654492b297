//! What a link does to packets.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Bytes of a packet's frame on a wire that a packet of the link lacks; what tools that shape traffic count, too.
const FRAME_BYTES: usize = 14;
/// Longest time that packets wait for their turn; those that would wait longer are dropped.
const QUEUE_MAX: Duration = Duration::from_millis(200);

/// What a link does to each packet, in either direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Time from one end to the other.
    pub delay: Duration,
    /// Bits a second that a host can send; infinite where nothing limits them.
    pub rate: f64,
    /// Part of the packets that is lost, from 0 to 1.
    pub loss: f64,
}

/// A link that does nothing.
pub const FREE: Link = Link { delay: Duration::ZERO, rate: f64::INFINITY, loss: 0.0 };

impl Link {
    /// A link that takes that many microseconds.
    pub fn of_delay_us(delay_us: u64) -> Self {
        Self { delay: Duration::from_micros(delay_us), ..FREE }
    }

    /// A link that lets that many bits a second pass.
    pub fn of_rate(rate: f64) -> Self {
        Self { rate, ..FREE }
    }

    /// Bytes of a message's own that pass a second where its packets are as large as can be: of 1514 bytes of a frame, TCP carries 1448.
    pub fn payload_rate(&self) -> f64 {
        self.rate / 8.0 * 1448.0 / 1514.0
    }
}

/// Three numbers: microseconds, bits a second, lost part.
impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.delay.as_micros(), self.rate, self.loss)
    }
}

impl FromStr for Link {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        match numbers.as_deref() {
            Some([delay_us, rate, loss]) if *delay_us >= 0.0 && *rate > 0.0 && (0.0..=1.0).contains(loss) => {
                Ok(Self { delay: Duration::from_secs_f64(delay_us * 1e-6), rate: *rate, loss: *loss })
            }
            _ => Err(format!("`{text}` is no delay in microseconds, rate in bits a second and lost part")),
        }
    }
}

/// The end of the link through which a host sends.
#[derive(Debug, Default)]
pub struct LinkEnd {
    /// When the last packet has left, from any origin.
    free: Duration,
    /// When the last packet arrives: none overtakes another.
    last: Duration,
}

impl LinkEnd {
    /// When a packet of `bytes` that is sent `now` arrives; `None` where it is lost. `draw` is evenly spread over 0 to 1.
    pub fn arrival(&mut self, link: &Link, now: Duration, bytes: usize, draw: f64) -> Option<Duration> {
        let begins = self.free.max(now);
        if draw < link.loss || begins - now > QUEUE_MAX {
            return None;
        }
        self.free = begins + Duration::from_secs_f64((bytes + FRAME_BYTES) as f64 * 8.0 / link.rate);
        self.last = self.last.max(self.free + link.delay);
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    #[test]
    fn what_is_written_is_read() {
        for link in [FREE, Link { delay: us(20_000), rate: 1e8, loss: 0.25 }] {
            assert_eq!(link.to_string().parse(), Ok(link));
        }
        assert!("1 2".parse::<Link>().is_err() && "1 0 0".parse::<Link>().is_err() && "1 1 2".parse::<Link>().is_err());
    }

    #[test]
    fn packets_wait_for_each_other_and_then_travel() {
        let (mut end, link) = (LinkEnd::default(), Link { delay: us(1000), rate: 8e6, loss: 0.0 });
        // 86 bytes and 14 of the frame last 100 µs at a byte a microsecond.
        assert_eq!(end.arrival(&link, us(0), 86, 0.5), Some(us(1100)));
        assert_eq!(end.arrival(&link, us(10), 86, 0.5), Some(us(1200)));
        assert_eq!(end.arrival(&link, us(5000), 86, 0.5), Some(us(6100)));
    }

    #[test]
    fn packets_are_lost_by_chance_and_where_too_many_wait() {
        let mut end = LinkEnd::default();
        let lossy = Link { loss: 0.5, ..FREE };
        assert_eq!(end.arrival(&lossy, us(0), 86, 0.4), None);
        assert_eq!(end.arrival(&lossy, us(0), 86, 0.6), Some(us(0)));
        let slow = Link::of_rate(800.0);
        assert!(end.arrival(&slow, us(0), 86, 0.5).is_some(), "it lasts a second");
        assert_eq!(end.arrival(&slow, us(0), 86, 0.5), None);
    }

    #[test]
    fn a_link_that_gets_shorter_lets_no_packet_overtake() {
        let mut end = LinkEnd::default();
        assert_eq!(end.arrival(&Link::of_delay_us(1000), us(0), 86, 0.5), Some(us(1000)));
        assert_eq!(end.arrival(&FREE, us(10), 86, 0.5), Some(us(1000)));
    }
}

//! Labels beside the ends of curves, moved apart where they would cover each other.

use paw_sort::OrderBy;

/// Least distance of two lines of text.
pub const LINE: f64 = 15.0;

/// Positions of labels as near to `wanted` as possible, in the same order, `line` apart, between `top` and `bottom`.
pub fn apart(wanted: &[f64], line: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.order_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let mut places: Vec<f64> = order.iter().map(|i| wanted[*i].clamp(top, bottom)).collect();
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + line);
    }
    // Labels pushed over the lower edge move back up.
    let mut limit = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - line;
    }
    let mut out = vec![0.0; wanted.len()];
    for (place, i) in places.into_iter().zip(order) {
        out[i] = place;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{LINE, apart};

    #[test]
    fn labels_keep_their_order_and_a_line_between_them() {
        assert_eq!(apart(&[50.0, 52.0, 20.0], LINE, 0.0, 100.0), [50.0, 65.0, 20.0]);
        assert_eq!(apart(&[99.0, 98.0], LINE, 0.0, 100.0), [100.0, 85.0]);
    }
}

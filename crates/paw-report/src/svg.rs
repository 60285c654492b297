//! Writing SVG: elements with escaped text and short numbers.

use std::fmt::Write;

use crate::wrap::printable;

/// Text escaped for an element or an attribute. Control characters are made visible.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML forbids both.
            '\u{fffe}' | '\u{ffff}' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A coordinate: a tenth of a unit is finer than a pixel.
pub fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Position of a text relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// SVG markup under construction. Classes stand for colours, which the page's style sheet defines for light and dark.
#[derive(Debug, Default)]
pub struct Drawing {
    body: String,
}

impl Drawing {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        let _ = write!(self.body, r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#);
    }

    pub fn rectangle(&mut self, class: &str, corner: (f64, f64), size: (f64, f64)) {
        let [x, y, w, h] = [corner.0, corner.1, size.0, size.1].map(number);
        let _ = write!(self.body, r#"<rect class="{class}" x="{x}" y="{y}" width="{w}" height="{h}"/>"#);
    }

    /// A path from its own commands.
    pub fn path(&mut self, class: &str, commands: &str) {
        if !commands.is_empty() {
            let _ = write!(self.body, r#"<path class="{class}" d="{commands}"/>"#);
        }
    }

    pub fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let [x, y] = [at.0, at.1].map(number);
        let _ = write!(self.body, r#"<text class="{class}" x="{x}" y="{y}"{anchor}>{}</text>"#, escape(text));
    }

    /// A text that begins at `at` and runs at `angle` degrees, clockwise from the horizontal.
    pub fn text_along(&mut self, class: &str, at: (f64, f64), angle: f64, text: &str) {
        let [x, y, angle] = [at.0, at.1, angle].map(number);
        let turn = format!("rotate({angle} {x} {y})");
        let _ =
            write!(self.body, r#"<text class="{class}" x="{x}" y="{y}" transform="{turn}">{}</text>"#, escape(text));
    }

    /// Opens a group; a link where `href` is not empty. Close it with [`Self::close`] and the same argument.
    pub fn open(&mut self, class: &str, href: &str) {
        if href.is_empty() {
            let _ = write!(self.body, r#"<g class="{class}">"#);
        } else {
            let _ = write!(self.body, r#"<a class="{class}" href="{}">"#, escape(href));
        }
    }

    /// Opens a group whose origin is `at`. Close it with [`Self::close`] and an empty text.
    pub fn open_at(&mut self, at: (f64, f64)) {
        let _ = write!(self.body, r#"<g transform="translate({} {})">"#, number(at.0), number(at.1));
    }

    /// Closes the group that [`Self::open`] opened.
    pub fn close(&mut self, href: &str) {
        self.body.push_str(if href.is_empty() { "</g>" } else { "</a>" });
    }

    /// The tooltip of the open group.
    pub fn title(&mut self, text: &str) {
        let _ = write!(self.body, "<title>{}</title>", escape(text));
    }

    /// The drawing as an `svg` element of `size` units, with `label` for screen readers.
    pub fn finish(self, class: &str, size: (f64, f64), label: &str) -> String {
        let [w, h] = [size.0, size.1].map(number);
        format!(
            r#"<svg class="{class}" viewBox="0 0 {w} {h}" role="img" aria-label="{}" xmlns="http://www.w3.org/2000/svg">{}</svg>"#,
            escape(label),
            self.body
        )
    }

    /// The drawing as a document of its own, of `size` pixels, with a style sheet and `label` for screen readers.
    pub fn document(self, style: &str, size: (f64, f64), label: &str) -> String {
        let [w, h] = [size.0, size.1].map(number);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" aria-label="{}"><style>{style}</style>{}</svg>
"#,
            escape(label),
            self.body
        )
    }
}

/// `M` and `L` commands through `points`.
pub fn polyline(points: &[(f64, f64)]) -> String {
    let mut out = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(out, "{}{} {}", if i == 0 { 'M' } else { 'L' }, number(*x), number(*y));
    }
    out
}

/// Dots at `points` for a stroke with round ends: lines of no length, the shortest way to write many.
pub fn dots(points: &[(f64, f64)]) -> String {
    points.iter().fold(String::new(), |mut out, (x, y)| {
        let _ = write!(out, "M{} {}h0", number(*x), number(*y));
        out
    })
}

/// Rings of radius `r` around `points`.
pub fn rings(points: &[(f64, f64)], r: f64) -> String {
    let (diameter, r) = (number(2.0 * r), number(r));
    points.iter().fold(String::new(), |mut out, (x, y)| {
        let (x, y) = (number(*x), number(*y));
        let _ = write!(out, "M{x} {y}m-{r} 0a{r} {r} 0 1 0 {diameter} 0a{r} {r} 0 1 0-{diameter} 0");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_stays_text() {
        assert_eq!(escape("<script>\"a\" & 'b'\u{1}"), "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;␁");
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([number(12.04), number(0.25), number(-3.0)], ["12", "0.2", "-3"]);
        assert_eq!(dots(&[(1.0, 2.5)]), "M1 2.5h0");
    }
}

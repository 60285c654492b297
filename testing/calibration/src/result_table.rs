//! The findings as one table, for a terminal and for METHOD.md.

use crate::experiment::{Finding, Goal, SectionFindings};

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Columns of blanks.
    Text,
    /// Markdown.
    Markdown,
}

const HEAD: [&str; 6] = ["what", "beside", "count", "share (95 %)", "goal", "more"];

/// The findings of all sections.
pub fn written(sections: &[SectionFindings], state: &str, style: Style) -> String {
    let rows: Vec<[String; 6]> =
        sections.iter().flat_map(|section| section.findings.iter().map(|f| row(section, f))).collect();
    let head = HEAD.map(str::to_owned);
    let table = match style {
        Style::Text => text(&head, &rows),
        Style::Markdown => markdown(&head, &rows),
    };
    format!("{state}\n\n{table}\n{}", notes(sections))
}

fn row(section: &SectionFindings, finding: &Finding) -> [String; 6] {
    let share = finding.share;
    let percent = |share: f64| format!("{:.1}", share * 100.0);
    let (low, high) = share.wilson();
    let shown =
        share.share().map_or("-".to_owned(), |p| format!("{} % ({} … {})", percent(p), percent(low), percent(high)));
    let goal = match finding.goal {
        Goal::AtMost(limit) => format!("<= {} %", limit * 100.0),
        Goal::AtLeast(limit) => format!(">= {} %", limit * 100.0),
        Goal::None => String::new(),
    };
    let goal = format!("{goal} {}", finding.goal.standing(share)).trim_end().to_owned();
    let what = format!("{}: {}", section.section, finding.what);
    let count = format!("{} of {}", share.count, share.of);
    [what, section.load.word().to_owned(), count, shown, goal, finding.note.clone()]
}

fn text(head: &[String; 6], rows: &[[String; 6]]) -> String {
    let all = || std::iter::once(head).chain(rows);
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    all().map(line).collect()
}

fn markdown(head: &[String; 6], rows: &[[String; 6]]) -> String {
    let line = |row: &[String; 6]| format!("| {} |\n", row.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(head.len()));
    line(head) + &rule + &rows.iter().map(line).collect::<String>()
}

/// How often each section was repeated, and what went wrong.
fn notes(sections: &[SectionFindings]) -> String {
    let note = |section: &SectionFindings| {
        let troubles: String = section.troubles.iter().map(|why| format!("; {why}")).collect();
        let (name, load) = (section.section, section.load.word());
        format!("- {name}, {load}: {} repeats in {:.0} s{troubles}\n", section.repeats, section.elapsed_s)
    };
    sections.iter().map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::LoadState;
    use crate::proportion::Proportion;

    #[test]
    fn a_goal_is_met_or_missed_only_by_the_whole_interval() {
        let standing = |goal: Goal, count, of| goal.standing(Proportion { count, of });
        assert_eq!(standing(Goal::AtMost(0.01), 4, 285), "open");
        assert_eq!(standing(Goal::AtMost(0.01), 0, 285), "open", "none of so few shows no goal of a percent");
        assert_eq!([standing(Goal::AtMost(0.01), 5, 1230), standing(Goal::AtMost(0.01), 16, 191)], ["met", "MISSED"]);
        assert_eq!([standing(Goal::AtLeast(0.9), 415, 426), standing(Goal::AtLeast(0.9), 195, 244)], ["met", "MISSED"]);
        assert_eq!([standing(Goal::AtLeast(0.9), 6, 6), standing(Goal::None, 6, 6)], ["open", ""]);
        assert_eq!(standing(Goal::AtMost(0.01), 0, 0), "open");
    }

    #[test]
    fn a_missed_goal_and_a_trouble_are_shown() {
        let finding = Finding {
            what: "equal things: FASTER or SLOWER".to_owned(),
            share: Proportion { count: 16, of: 191 },
            goal: Goal::AtMost(0.01),
            note: "SAME 3".to_owned(),
        };
        let section = SectionFindings {
            section: "blas",
            load: LoadState::Loaded,
            repeats: 64,
            elapsed_s: 99.6,
            findings: vec![finding],
            troubles: vec!["the run has no end".to_owned()],
        };
        let sections = [section];
        let text = written(&sections, "a machine", Style::Text);
        assert!(text.contains("16 of 191  8.4 % (5.2 … 13.2)  <= 1 % MISSED  SAME 3"), "{text}");
        let page = written(&sections, "a machine", Style::Markdown);
        assert!(page.contains("| blas: equal things: FASTER or SLOWER | loaded | 16 of 191 |"), "{page}");
        assert!(page.ends_with("- blas, loaded: 64 repeats in 100 s; the run has no end\n"), "{page}");
    }
}

//! The loops of two builds without parts of themselves: a table and bars for each level.

use paw_data::explained::LevelExplained;

use crate::model::{Align, Column, Field, Part, Picture, Plots, Row, Table, Tone};
use crate::plot::ablations::{AblationBar, bars};
use crate::side_by_side::Pair;

/// A table with bars for each level at which both were taken apart.
pub fn parts<'a>(pair: &'a Pair<'a>) -> Vec<Part<'a>> {
    let (Some(first), Some(second)) = (&pair.first.explained, &pair.second.explained) else { return Vec::new() };
    let same = |level: &LevelExplained| second.levels.iter().find(|other| other.level == level.level);
    let both = first.levels.iter().filter_map(|level| Some((level, same(level)?)));
    both.map(|(a, b)| part(pair, a, b)).collect()
}

fn part<'a>(pair: &'a Pair<'a>, first: &LevelExplained, second: &LevelExplained) -> Part<'a> {
    let bars = changes(first, second);
    let columns = vec![
        Column::new("changed", Align::Left, Column::ALWAYS),
        Column::new("first", Align::Right, Column::ALWAYS),
        Column::new("second", Align::Right, Column::ALWAYS),
    ];
    let digits = |value: f64| if value.is_finite() { format!("{value:.3}") } else { String::new() };
    let row = |bar: &AblationBar| Row {
        fields: vec![
            Field::from(bar.name.clone()),
            Field::new(digits(bar.cycles[0]), Tone::Strong),
            Field::new(digits(bar.cycles[1]), Tone::Strong),
        ],
        ..Row::default()
    };
    let title = format!("{}: the hot loops without parts of themselves, core cycles an iteration", first.level);
    let table = Table::new(title, columns, bars.iter().map(row).collect());
    let names = [pair.first.name.clone(), pair.second.name.clone()];
    let plots = Plots::new(move |_| {
        let picture = |svg| {
            Picture {
            svg,
            title: "Without parts of itself".to_owned(),
            caption: "Core cycles of an iteration of each build as it is, and with a part of its hot loop taken away. What shortens a bar most weighs most.".to_owned(),
            legend: Vec::new(),
        }
        };
        self::bars(&names, &bars).into_iter().map(picture).collect()
    });
    Part::Table(table, Some(plots))
}

/// The kernel itself, then every change that either has, in the order measured.
fn changes(first: &LevelExplained, second: &LevelExplained) -> Vec<AblationBar> {
    let mut bars = vec![AblationBar { name: "nothing".to_owned(), cycles: vec![first.cycles, second.cycles] }];
    for level in [first, second] {
        for reduced in &level.reduced {
            let name = reduced.ablation.words().to_owned();
            if bars.iter().any(|bar| bar.name == name) {
                continue;
            }
            let of = |level: &LevelExplained| {
                level.reduced.iter().find(|r| r.ablation == reduced.ablation).map_or(f64::NAN, |r| r.cycles)
            };
            bars.push(AblationBar { name, cycles: vec![of(first), of(second)] });
        }
    }
    bars.retain(|bar| bar.cycles.iter().any(|cycles| cycles.is_finite()));
    bars
}

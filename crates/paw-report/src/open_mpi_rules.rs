//! A table of algorithms as a file of rules for Open MPI: the classic format of its component `tuned`, which all of its releases read.
//!
//! Source: "Tuning Collectives" of Open MPI's documentation, section "Dynamic Decisions and the Rules File".

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::tuning::TuningRow;

/// How Open MPI counts a message: the bytes of one rank's elements, or those of all ranks' elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MessageSize {
    One,
    All,
}

/// The collectives with rules by size: name, number in a file, and how a message is counted.
const COLLECTIVES: [(&str, u32, MessageSize); 10] = [
    ("allgather", 0, MessageSize::All),
    ("allgatherv", 1, MessageSize::All),
    ("allreduce", 2, MessageSize::One),
    ("alltoall", 3, MessageSize::All),
    ("bcast", 7, MessageSize::One),
    ("gather", 9, MessageSize::All),
    ("reduce", 11, MessageSize::One),
    ("reduce_scatter", 12, MessageSize::All),
    ("reduce_scatter_block", 13, MessageSize::All),
    ("scatter", 15, MessageSize::All),
];

/// Bytes of an element.
const ELEMENT_BYTES: i64 = 8;

/// The variables of the component `tuned` begin so.
const TUNED: &str = "OMPI_MCA_coll_tuned_";

/// What a rule chooses: the number of an algorithm, its fan-out, and the bytes of its segments. Zeros are the library's own choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Algorithm {
    number: u32,
    fan_out: u32,
    segment_bytes: u32,
}

/// A file of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenMpiRules {
    /// The file.
    pub text: String,
    /// How many sizes of messages have an algorithm of their own.
    pub sizes: usize,
}

/// The variables of a run.
type Environment = BTreeMap<String, String>;

/// The rules of a collective on so many ranks: from those bytes on, that algorithm.
type Rules = BTreeMap<i64, Algorithm>;

/// The file that takes, on as many ranks as were measured, the fastest algorithm wherever the library's own choice is not among the fastest.
/// `environments` are the variables of the runs that `rows` speak of. From each measured size up to the next one its rule holds; below, above, and for other numbers of ranks, the library chooses.
///
/// # Errors
/// What a run has set that no rule can say, and that no algorithm is faster than the library's own choice.
pub fn open_mpi_rules(environments: &[&Environment], rows: &[TuningRow]) -> Result<OpenMpiRules, String> {
    let mut found: BTreeMap<(u32, i64), Rules> = BTreeMap::new();
    let mut undecided = Vec::new();
    for row in rows {
        let known = COLLECTIVES.iter().find(|(name, ..)| *name == row.benchmark);
        let (Some((_, number, size)), Some(ranks)) = (known, row.ranks) else { continue };
        let of = |nth: &usize| algorithm(environments[*nth], &row.benchmark);
        let measured: Vec<Algorithm> = row.measured.iter().map(of).collect::<Result<_, _>>()?;
        if !measured.contains(&Algorithm::default()) {
            continue;
        }
        let fastest: Vec<Algorithm> = row.fastest.iter().map(of).collect::<Result<_, _>>()?;
        let bytes = ELEMENT_BYTES * row.n * if *size == MessageSize::All { ranks } else { 1 };
        let rules = found.entry((*number, ranks)).or_default();
        // The one that is taken for the next smaller size, where nothing tells it from the fastest: fewer changes.
        let before = rules.range(..bytes).next_back().map(|(_, before)| *before);
        let chosen = chosen(&fastest, before);
        if rules.insert(bytes, chosen).is_some_and(|other| other != chosen) {
            undecided.push((*number, ranks, bytes));
        }
    }
    for (number, ranks, bytes) in undecided {
        // Measured in two ways that disagree: nothing carries a rule.
        found.entry((number, ranks)).or_default().insert(bytes, Algorithm::default());
    }
    found.retain(|_, rules| rules.values().any(|rule| *rule != Algorithm::default()));
    let sizes = found.values().flat_map(Rules::values).filter(|rule| **rule != Algorithm::default()).count();
    if sizes == 0 {
        return Err(
            "no algorithm is faster than the library's own choice anywhere, as far as these runs tell".to_owned()
        );
    }
    Ok(OpenMpiRules { text: file(&found), sizes })
}

/// The library's own choice where it is among the fastest; else what was taken before; else the first.
fn chosen(fastest: &[Algorithm], before: Option<Algorithm>) -> Algorithm {
    let own = Algorithm::default();
    let kept = before.filter(|before| fastest.contains(before));
    if fastest.contains(&own) { own } else { kept.or(fastest.first().copied()).unwrap_or(own) }
}

/// What a run's variables choose for a collective.
fn algorithm(environment: &Environment, collective: &str) -> Result<Algorithm, String> {
    let variable = |tail: &str| {
        let name = format!("{TUNED}{collective}_algorithm{tail}");
        let Some(value) = environment.get(&name) else { return Ok(0) };
        value.parse::<u32>().map_err(|_| {
            format!("a file of rules names algorithms by numbers, and a run has {name}={value}; ompi_info --param coll tuned --level 9 lists them")
        })
    };
    let chosen = Algorithm {
        number: variable("")?,
        fan_out: variable("_tree_fanout")?.max(variable("_chain_fanout")?),
        segment_bytes: variable("_segmentsize")?,
    };
    let dynamic = format!("{TUNED}use_dynamic_rules");
    let is_heard = environment.get(&dynamic).is_some_and(|value| !matches!(value.as_str(), "0" | "false" | ""));
    if chosen.number != 0 && !is_heard {
        return Err(format!("Open MPI reads {TUNED}{collective}_algorithm only beside {dynamic}=1, which a run lacks"));
    }
    Ok(if chosen.number == 0 { Algorithm::default() } else { chosen })
}

/// Whether a variable is one that a rule can say.
pub fn is_of_rules(variable: &str) -> bool {
    variable.starts_with(TUNED)
}

fn file(found: &BTreeMap<(u32, i64), Rules>) -> String {
    let mut collectives: BTreeMap<u32, BTreeMap<i64, &Rules>> = BTreeMap::new();
    for ((number, ranks), rules) in found {
        collectives.entry(*number).or_default().insert(*ranks, rules);
    }
    let mut text = format!("{} # collectives with rules\n", collectives.len());
    for (number, sizes) in collectives {
        let name = COLLECTIVES.iter().find(|(_, known, _)| *known == number).map_or("", |(name, ..)| name);
        let sets = with_gaps(&sizes);
        let _ = write!(text, "{number} # {name}\n{} # numbers of ranks\n", sets.len());
        for (ranks, rules) in sets {
            let _ = write!(
                text,
                "{ranks} # ranks and more\n{} # bytes and more: algorithm, fan-out, segment\n",
                rules.len()
            );
            for (bytes, Algorithm { number, fan_out, segment_bytes }) in rules {
                let _ = writeln!(text, "{bytes} {number} {fan_out} {segment_bytes}");
            }
        }
    }
    text
}

/// The rules for every number of ranks: those that were measured, and the library's own choice below, between and above. A rule holds from its
/// number on up to the next.
fn with_gaps(sizes: &BTreeMap<i64, &Rules>) -> BTreeMap<i64, Rules> {
    let own = || Rules::from([(0, Algorithm::default())]);
    let mut sets = BTreeMap::from([(1, own())]);
    for (ranks, rules) in sizes {
        let mut whole = own();
        whole.extend(rules.iter());
        if let Some((largest, _)) = rules.last_key_value() {
            whole.insert(largest + 1, Algorithm::default());
        }
        sets.insert(*ranks, whole);
        sets.entry(ranks + 1).or_insert_with(own);
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::{Environment, TUNED, open_mpi_rules};
    use crate::tuning::TuningRow;

    fn environment(collective: &str, settings: &[(&str, &str)]) -> Environment {
        let named = settings.iter().map(|(tail, value)| (format!("{TUNED}{collective}_algorithm{tail}"), *value));
        let dynamic = (format!("{TUNED}use_dynamic_rules"), "1");
        named.chain([dynamic]).map(|(name, value)| (name, value.to_owned())).collect()
    }

    fn row(benchmark: &str, ranks: i64, n: i64, fastest: &[usize]) -> TuningRow {
        TuningRow {
            collective: format!("{benchmark} ranks={ranks}"),
            benchmark: benchmark.to_owned(),
            ranks: Some(ranks),
            n,
            measured: vec![0, 1, 2],
            fastest: fastest.to_vec(),
            time: String::new(),
            gain: None,
        }
    }

    /// What the file says of rows under the library's own choice, algorithm 3, and algorithm 4 with segments.
    fn said(benchmark: &str, rows: &[TuningRow]) -> Result<Vec<String>, String> {
        let (own, third) = (Environment::new(), environment(benchmark, &[("", "3")]));
        let fourth = environment(benchmark, &[("", "4"), ("_segmentsize", "8192"), ("_tree_fanout", "2")]);
        let rules = open_mpi_rules(&[&own, &third, &fourth], rows)?;
        let lines = rules.text.lines().map(|line| line.split('#').next().unwrap_or_default().trim().to_owned());
        Ok(lines.collect())
    }

    #[test]
    fn rules_hold_for_the_ranks_and_the_sizes_that_were_measured() {
        let rows = [
            row("allreduce", 4, 1, &[0, 1]),
            row("allreduce", 4, 64, &[1]),
            row("allreduce", 4, 1024, &[2, 1]),
            row("allreduce", 4, 4096, &[2]),
        ];
        // Of 1024 elements nothing tells the third from the fourth: the third is there already.
        let expected = [
            "1",
            "2",
            "3",
            "1",
            "1",
            "0 0 0 0",
            "4",
            "6",
            "0 0 0 0",
            "8 0 0 0",
            "512 3 0 0",
            "8192 3 0 0",
            "32768 4 2 8192",
            "32769 0 0 0",
            "5",
            "1",
            "0 0 0 0",
        ];
        assert_eq!(said("allreduce", &rows).expect("some are faster"), expected);
    }

    #[test]
    fn blocks_of_all_ranks_are_one_message_where_open_mpi_counts_so() {
        let lines = said("alltoall", &[row("alltoall", 4, 8, &[1])]).expect("one is faster");
        assert!(lines.contains(&"256 3 0 0".to_owned()), "{lines:?}");
        let lines = said("bcast", &[row("bcast", 4, 8, &[1])]).expect("one is faster");
        assert!(lines.contains(&"64 3 0 0".to_owned()), "{lines:?}");
    }

    #[test]
    fn numbers_of_ranks_side_by_side_have_no_gap() {
        let rows = [row("reduce", 2, 1, &[1]), row("reduce", 3, 1, &[2])];
        let expected = [
            "1",
            "11",
            "4",
            "1",
            "1",
            "0 0 0 0",
            "2",
            "3",
            "0 0 0 0",
            "8 3 0 0",
            "9 0 0 0",
            "3",
            "3",
            "0 0 0 0",
            "8 4 2 8192",
            "9 0 0 0",
            "4",
            "1",
            "0 0 0 0",
        ];
        assert_eq!(said("reduce", &rows).expect("both are faster"), expected);
    }

    #[test]
    fn what_two_ways_of_calling_disagree_on_is_left_to_the_library() {
        let rows = [row("bcast", 2, 8, &[1]), row("bcast", 2, 64, &[1]), row("bcast", 2, 8, &[2])];
        let lines = said("bcast", &rows).expect("one size is faster");
        assert!(lines.contains(&"64 0 0 0".to_owned()) && lines.contains(&"512 3 0 0".to_owned()), "{lines:?}");
    }

    #[test]
    fn what_carries_no_rule_is_refused() {
        let nothing = said("allreduce", &[row("allreduce", 4, 1, &[0, 1]), row("iallreduce", 4, 1, &[1])]);
        assert!(nothing.expect_err("none is faster").contains("no algorithm is faster"));
        // Nobody measured the library's own choice there.
        let without = TuningRow { measured: vec![1, 2], ..row("allreduce", 4, 1, &[1]) };
        assert!(said("allreduce", &[without]).is_err());
        let named = environment("bcast", &[("", "chain")]);
        let rows = [TuningRow { measured: vec![0, 1], ..row("bcast", 2, 1, &[1]) }];
        assert!(open_mpi_rules(&[&Environment::new(), &named], &rows).expect_err("a name").contains("numbers"));
        let deaf = Environment::from([(format!("{TUNED}bcast_algorithm"), "2".to_owned())]);
        assert!(open_mpi_rules(&[&Environment::new(), &deaf], &rows).expect_err("not heard").contains("only beside"));
    }
}

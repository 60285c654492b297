//! A table of algorithms as a file of rules for Open MPI: the classic format of its component `tuned`, which all of its releases read; sizes
//! are those of 4.1 and later.
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

/// A collective that has rules by size.
struct Collective {
    /// The benchmark that calls it.
    benchmark: &'static str,
    /// Its name in variables.
    name: &'static str,
    /// Its number in a file.
    number: u32,
    size: MessageSize,
    /// Which fan-out its algorithms read: `tree` or `chain`.
    fan_out: &'static str,
}

const fn collective(
    (benchmark, name): (&'static str, &'static str),
    number: u32,
    size: MessageSize,
    fan_out: &'static str,
) -> Collective {
    Collective { benchmark, name, number, size, fan_out }
}

/// The collectives, as Open MPI 4.1 to 6 look them up. Left out are `allgatherv`, whose size releases count differently, and those whose size
/// is no matter of n.
const COLLECTIVES: [Collective; 8] = [
    collective(("allgather", "allgather"), 0, MessageSize::All, "tree"),
    collective(("allreduce", "allreduce"), 2, MessageSize::One, "tree"),
    collective(("alltoall", "alltoall"), 3, MessageSize::All, "tree"),
    collective(("bcast", "bcast"), 7, MessageSize::One, "chain"),
    collective(("gather", "gather"), 9, MessageSize::All, "tree"),
    collective(("reduce", "reduce"), 11, MessageSize::One, "chain"),
    // The benchmark calls MPI_Reduce_scatter_block.
    collective(("reduce_scatter", "reduce_scatter_block"), 13, MessageSize::All, "chain"),
    collective(("scatter", "scatter"), 15, MessageSize::All, "chain"),
];

/// Bytes of an element.
const ELEMENT_BYTES: i64 = 8;

/// The fan-out where no variable sets one.
const FAN_OUT: u32 = 4;

/// The variables of the component `tuned` begin so.
const TUNED: &str = "OMPI_MCA_coll_tuned_";

/// What is true to Open MPI.
const TRUE: &[&str] = &["1", "true", "t", "yes", "y", "enabled"];

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

/// The algorithms of a collective on one number of ranks, by the least bytes of a message that each is for.
type Rules = BTreeMap<i64, Algorithm>;

/// The file that takes, on as many ranks as were measured, the fastest algorithm wherever the library's own choice is not among the fastest.
/// `environments` are the variables of the runs that `rows` speak of. From the size of each row up to that of the next its rule holds; below,
/// above, and for other numbers of ranks, the library chooses.
///
/// # Errors
/// What a run has set that no rule can say, and that no algorithm is faster than the library's own choice.
pub fn open_mpi_rules(environments: &[&Environment], rows: &[TuningRow]) -> Result<OpenMpiRules, String> {
    // The algorithms that are among the fastest in all rows of a size.
    let mut fastest: BTreeMap<(u32, i64), BTreeMap<i64, Vec<Algorithm>>> = BTreeMap::new();
    let own = Algorithm::default();
    for row in rows {
        let known = COLLECTIVES.iter().find(|known| known.benchmark == row.benchmark);
        let (Some(known), Some(ranks)) = (known, row.ranks) else { continue };
        let of = |nth: &usize| algorithm(environments[*nth], known);
        let measured: Vec<Algorithm> = row.measured.iter().map(of).collect::<Result<_, _>>()?;
        let named: Vec<Algorithm> = row.fastest.iter().map(of).collect::<Result<_, _>>()?;
        // Faster than a choice that nobody measured is no algorithm.
        let named = if measured.contains(&own) { named } else { vec![own] };
        let bytes = ELEMENT_BYTES * row.n * if known.size == MessageSize::All { ranks } else { 1 };
        let sizes = fastest.entry((known.number, ranks)).or_default();
        sizes.entry(bytes).and_modify(|both| both.retain(|one| named.contains(one))).or_insert(named);
    }
    if fastest.is_empty() {
        return Err("Open MPI's rules choose for none of these collectives".to_owned());
    }
    let found: BTreeMap<(u32, i64), Rules> = fastest
        .into_iter()
        .map(|(place, sizes)| (place, rules(&sizes)))
        .filter(|(_, rules)| chosen(rules) > 0)
        .collect();
    let sizes = found.values().map(chosen).sum();
    if sizes == 0 {
        return Err(
            "no algorithm is faster than the library's own choice anywhere, as far as these runs tell".to_owned()
        );
    }
    Ok(OpenMpiRules { text: file(&found), sizes })
}

/// The algorithm of each size: the library's own choice where it is among the fastest, or where ways to call disagree; else that of the size
/// below where it is among them, so that choices change seldom; else the first.
fn rules(sizes: &BTreeMap<i64, Vec<Algorithm>>) -> Rules {
    let (own, mut before) = (Algorithm::default(), Algorithm::default());
    let choose = |(bytes, fastest): (&i64, &Vec<Algorithm>)| {
        let first = fastest.first().copied().unwrap_or(own);
        before = [own, before].into_iter().find(|one| fastest.contains(one)).unwrap_or(first);
        (*bytes, before)
    };
    sizes.iter().map(choose).collect()
}

/// How many sizes have an algorithm of their own.
fn chosen(rules: &Rules) -> usize {
    rules.values().filter(|rule| **rule != Algorithm::default()).count()
}

/// What a run's variables choose for a collective.
fn algorithm(environment: &Environment, of: &Collective) -> Result<Algorithm, String> {
    let number = |name: &str| {
        let Some(value) = environment.get(name) else { return Ok(None) };
        value.parse::<u32>().map(Some).map_err(|_| {
            format!("a file of rules holds numbers, and a run has {name}={value}; ompi_info --param coll tuned --level 9 says which it is")
        })
    };
    let own = |tail: &str| number(&format!("{TUNED}{}_algorithm{tail}", of.name));
    let Some(chosen) = own("")?.filter(|chosen| *chosen != 0) else { return Ok(Algorithm::default()) };
    let dynamic = format!("{TUNED}use_dynamic_rules");
    if !environment.get(&dynamic).is_some_and(|value| TRUE.contains(&value.as_str())) {
        return Err(format!("Open MPI reads {TUNED}{}_algorithm only beside {dynamic}=1, which a run lacks", of.name));
    }
    let common = number(&format!("{TUNED}init_{}_fanout", of.fan_out))?;
    Ok(Algorithm {
        number: chosen,
        fan_out: own(&format!("_{}_fanout", of.fan_out))?.or(common).unwrap_or(FAN_OUT),
        segment_bytes: own("_segmentsize")?.unwrap_or(0),
    })
}

/// Whether a variable is one that a rule can say.
pub fn is_of_rules(variable: &str) -> bool {
    let Some(tail) = variable.strip_prefix(TUNED) else { return false };
    let tails = ["", "_segmentsize", "_tree_fanout", "_chain_fanout"];
    let is_choice = |of: &Collective| {
        tail.strip_prefix(of.name)
            .and_then(|tail| tail.strip_prefix("_algorithm"))
            .is_some_and(|tail| tails.contains(&tail))
    };
    matches!(tail, "use_dynamic_rules" | "init_tree_fanout" | "init_chain_fanout") || COLLECTIVES.iter().any(is_choice)
}

fn file(found: &BTreeMap<(u32, i64), Rules>) -> String {
    let mut collectives: BTreeMap<u32, BTreeMap<i64, &Rules>> = BTreeMap::new();
    for ((number, ranks), rules) in found {
        collectives.entry(*number).or_default().insert(*ranks, rules);
    }
    let mut text = format!("{} # collectives with rules\n", collectives.len());
    for (number, sizes) in collectives {
        let name = COLLECTIVES.iter().find(|known| known.number == number).map_or("", |known| known.name);
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
    use super::{Environment, TUNED, is_of_rules, open_mpi_rules};
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
    fn said(benchmark: &str, rows: &[TuningRow]) -> Result<String, String> {
        let (own, third) = (Environment::new(), environment(benchmark, &[("", "3")]));
        let fourth = environment(benchmark, &[("", "4"), ("_segmentsize", "8192"), ("_tree_fanout", "2")]);
        let rules = open_mpi_rules(&[&own, &third, &fourth], rows)?;
        let lines = rules.text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        Ok(lines.collect::<Vec<_>>().join(" / "))
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
        let expected = "1 / 2 / 3 / 1 / 1 / 0 0 0 0 / 4 / 6 / 0 0 0 0 / 8 0 0 0 / 512 3 4 0 / 8192 3 4 0 / 32768 4 2 8192 / 32769 0 0 0 / 5 / 1 / 0 0 0 0";
        assert_eq!(said("allreduce", &rows).as_deref(), Ok(expected));
    }

    #[test]
    fn blocks_of_all_ranks_are_one_message_where_open_mpi_counts_so() {
        for (collective, bytes) in [("alltoall", 256), ("scatter", 256), ("bcast", 64), ("reduce", 64)] {
            let lines = said(collective, &[row(collective, 4, 8, &[1])]).expect("one is faster");
            assert!(lines.contains(&format!(" / {bytes} 3 4 0 / ")), "{collective}: {lines}");
        }
    }

    #[test]
    fn the_rules_of_a_benchmark_are_those_of_the_call_it_makes() {
        let block = environment("reduce_scatter_block", &[("", "2")]);
        let rows = [TuningRow { measured: vec![0, 1], ..row("reduce_scatter", 2, 1, &[1]) }];
        let text = open_mpi_rules(&[&Environment::new(), &block], &rows).expect("one is faster").text;
        assert!(text.contains("13 # reduce_scatter_block") && text.contains("16 2 4 0"), "{text}");
        let other = environment("reduce_scatter", &[("", "2")]);
        assert!(open_mpi_rules(&[&Environment::new(), &other], &rows).is_err());
    }

    #[test]
    fn numbers_of_ranks_side_by_side_have_no_gap() {
        let rows = [row("reduce", 2, 1, &[1]), row("reduce", 3, 1, &[2])];
        let expected = "1 / 11 / 4 / 1 / 1 / 0 0 0 0 / 2 / 3 / 0 0 0 0 / 8 3 4 0 / 9 0 0 0 / 3 / 3 / 0 0 0 0 / 8 4 4 8192 / 9 0 0 0 / 4 / 1 / 0 0 0 0";
        assert_eq!(said("reduce", &rows).as_deref(), Ok(expected));
    }

    #[test]
    fn what_ways_of_calling_disagree_on_is_left_to_the_library_and_what_they_share_is_taken() {
        let rows = [&[1][..], &[2], &[1]].map(|fastest| row("bcast", 2, 8, fastest));
        let all = [&rows[..], &[row("bcast", 2, 64, &[1]), row("bcast", 2, 64, &[2, 1])]].concat();
        let lines = said("bcast", &all).expect("one size is faster");
        assert!(lines.contains(" / 64 0 0 0 / 512 3 4 0 / "), "{lines}");
    }

    #[test]
    fn a_size_at_which_nobody_measured_the_librarys_own_choice_ends_the_rule_below() {
        let without = TuningRow { measured: vec![1, 2], ..row("allreduce", 4, 2, &[1]) };
        let rows = [row("allreduce", 4, 1, &[1]), without, row("allreduce", 4, 4, &[1])];
        let lines = said("allreduce", &rows).expect("two sizes are faster");
        assert!(lines.contains(" / 8 3 4 0 / 16 0 0 0 / 32 3 4 0 / "), "{lines}");
    }

    #[test]
    fn what_carries_no_rule_is_refused() {
        let nothing = said("allreduce", &[row("allreduce", 4, 1, &[0, 1])]);
        assert!(nothing.expect_err("none is faster").contains("no algorithm is faster"));
        let unknown = said("iallreduce", &[row("iallreduce", 4, 1, &[1])]);
        assert!(unknown.expect_err("it has no rules").contains("none of these collectives"));
        let rows = [TuningRow { measured: vec![0, 1], ..row("bcast", 2, 1, &[1]) }];
        let refused = |other: &Environment| open_mpi_rules(&[&Environment::new(), other], &rows).expect_err("no rule");
        assert!(refused(&environment("bcast", &[("", "chain")])).contains("bcast_algorithm=chain"));
        let mut deaf = environment("bcast", &[("", "2")]);
        for word in ["0", "no", "false"] {
            deaf.insert(format!("{TUNED}use_dynamic_rules"), word.to_owned());
            assert!(refused(&deaf).contains("only beside"), "{word}");
        }
    }

    #[test]
    fn what_a_rule_cannot_say_is_known() {
        let said =
            ["use_dynamic_rules", "bcast_algorithm", "reduce_scatter_block_algorithm_segmentsize", "init_chain_fanout"];
        assert!(said.iter().all(|tail| is_of_rules(&format!("{TUNED}{tail}"))));
        let unsaid = ["alltoall_algorithm_max_requests", "dynamic_rules_filename", "priority", "allgatherv_algorithm"];
        assert!(!unsaid.iter().any(|tail| is_of_rules(&format!("{TUNED}{tail}"))) && !is_of_rules("OMPI_MCA_btl"));
    }
}

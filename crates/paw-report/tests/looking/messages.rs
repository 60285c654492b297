//! Runs of several ranks, as every view shows them.

use expect_test::expect;
use paw_data::headline::{AlternativesAxis, ReportPlace};
use paw_report::{Colour, html, markdown, text};
use roxmltree::{Document, Node};
use unicode_width::UnicodeWidthStr;

use crate::html::{balanced, drawings, links_lead_somewhere};
use crate::ranks::{directions, many, messages, overlapped, pairs};

#[test]
fn messages_have_time_and_bandwidth_and_collectives_their_fastest_rank() {
    expect![[r#"
        MPI latency    400 ns, fair (mpich, 2 ranks, same socket)
        MPI bandwidth  19.9 GB/s, still rises at 1 MiB, fair (mpich, size=1 MiB, 4
                       ranks, across sockets)
        message rate   6.40 Mmsg/s, fair (mpich, size=8 B, 2 ranks, same socket)
        allreduce 8 B  4.00 µs, fair (mpich, size=8 B, isolated, 4 ranks, across
                       sockets)
        trust          fair: None of 13 measured cells is good: the samples of each come
                       from 1 job.
        machine        Example 9000 · x86_64 · 1 package, 2 cores, 2 hardware threads ·
                       L1 32 KiB · L2 1 MiB · 8 GiB memory
        ranks          2 ranks on node0 · 1 pair same socket · MPICH 5.0.2 ·
                       mpiexec.hydra · thread support funneled
        ranks          4 ranks on node0 · 2 pairs across sockets · MPICH 5.0.2 ·
                       mpiexec.hydra · thread support funneled
        run            20260314T092653Z-abc123 · paw 0.1.0 · 2026-03-14T09:26:53Z

        latency  half a round trip · completion = slowest rank · mpich · ranks=2
                   fastest  skew
         ns     ±       ns    ns  samples  check  trust
        400  2.0%      300   200        8      ✓  fair
          good: repeats agree on it within ±, nine times in ten; fair: ± may be too
          narrow; poor: do not rely on it; ± is 2.0 % at least on a machine whose clock
          is not fixed

        p2p_send  8n bytes · completion = slowest rank · mpich
         size  ranks       µs     MB/s     ±  samples  check  trust
          8 B      2    0.401     20.0  2.0%        8      ✓  fair
          8 B      4    0.401     39.9  2.0%        8      ✓  fair
        4 KiB      2    0.810   5059    2.0%        8      ✓  fair
        4 KiB      4    0.810  10119    2.0%        8      ✓  fair
        1 MiB      2  105       9962    2.0%        8      ✓  fair
        1 MiB      4  105      19924    2.0%        8      ✓  fair

        p2p_mrate  8n bytes · completion = slowest rank · mpich · ranks=2 · window=128
         size  Mmsg/s     ±     GB/s  samples  check  trust
          8 B    6.40  2.0%   0.0512        8      ✓  fair
        4 KiB    5.10  2.0%  20.9           8      ✓  fair

        allreduce  8n bytes · completion = slowest rank · mpich · ranks=4
                                       fastest  skew
          size  cadence      µs     ±       µs    ns  samples  check  trust
           8 B  isolated   4.00  2.0%     3.00   200        8      ✓  fair
           8 B  streaming  4.00  2.0%     3.00   200        8      ✓  fair
        32 KiB  isolated   8.10  2.0%     6.07   200        8      ✓  fair
        32 KiB  streaming  8.10  2.0%     6.07   200        8      ✓  fair

        caveats
          1 job (13 cells): all samples come from 1 job, and the next may lie elsewhere
          by more than ±. → Run the job three times, and compare such groups of runs:
          paw compare A1 A2 A3 -- B1 B2 B3.
    "#]]
    .assert_eq(&text(&messages(), 80, Colour::Plain));
}

#[test]
fn markdown_has_the_same_columns() {
    let text = markdown(&messages());
    expect![[r#"
        # node1 · 2026-03-14T09:26:53Z

        - **MPI latency**: 400 ns, fair (mpich, 2 ranks, same socket)
        - **MPI bandwidth**: 19.9 GB/s, still rises at 1 MiB, fair (mpich, size=1 MiB, 4 ranks, across sockets)
        - **message rate**: 6.40 Mmsg/s, fair (mpich, size=8 B, 2 ranks, same socket)
        - **allreduce 8 B**: 4.00 µs, fair (mpich, size=8 B, isolated, 4 ranks, across sockets)
        - **trust**: fair. None of 13 measured cells is good: the samples of each come from 1 job.
        - **machine**: Example 9000 · x86_64 · 1 package, 2 cores, 2 hardware threads · L1 32 KiB · L2 1 MiB · 8 GiB memory
        - **ranks**: 2 ranks on node0 · 1 pair same socket · MPICH 5.0.2 · mpiexec.hydra · thread support funneled
        - **ranks**: 4 ranks on node0 · 2 pairs across sockets · MPICH 5.0.2 · mpiexec.hydra · thread support funneled

        ## latency

        half a round trip · completion = slowest rank · mpich · ranks=2

        | ns | ± | fastest ns | skew ns | share | samples | check | trust |
        | --: | --: | --: | --: | :-- | :-- | :-- | :-- |
        | 400 | 2.0% | 300 | 200 |  | 8 | right | fair |

        good: repeats agree on it within ±, nine times in ten; fair: ± may be too narrow; poor: do not rely on it; ± is 2.0 % at least on a machine whose clock is not fixed

        ## p2p_send

        8n bytes · completion = slowest rank · mpich

        | size | ranks | µs | MB/s | ± | share | samples | check | trust |
        | --: | --: | --: | --: | --: | :-- | :-- | :-- | :-- |
        | 8 B | 2 | 0.401 | 20.0 | 2.0% |  | 8 | right | fair |
        | 8 B | 4 | 0.401 | 39.9 | 2.0% |  | 8 | right | fair |
        | 4 KiB | 2 | 0.810 | 5059 | 2.0% |  | 8 | right | fair |
        | 4 KiB | 4 | 0.810 | 10119 | 2.0% |  | 8 | right | fair |
        | 1 MiB | 2 | 105 | 9962 | 2.0% |  | 8 | right | fair |
        | 1 MiB | 4 | 105 | 19924 | 2.0% |  | 8 | right | fair |

        ## p2p_mrate

        8n bytes · completion = slowest rank · mpich · ranks=2 · window=128

        | size | Mmsg/s | ± | GB/s | share | samples | check | trust |
        | --: | --: | --: | --: | :-- | :-- | :-- | :-- |
        | 8 B | 6.40 | 2.0% | 0.0512 |  | 8 | right | fair |
        | 4 KiB | 5.10 | 2.0% | 20.9 |  | 8 | right | fair |

        ## allreduce

        8n bytes · completion = slowest rank · mpich · ranks=4

        | size | cadence | µs | ± | fastest µs | skew ns | share | samples | check | trust |
        | --: | :-- | --: | --: | --: | --: | :-- | :-- | :-- | :-- |
        | 8 B | isolated | 4.00 | 2.0% | 3.00 | 200 |  | 8 | right | fair |
        | 8 B | streaming | 4.00 | 2.0% | 3.00 | 200 |  | 8 | right | fair |
        | 32 KiB | isolated | 8.10 | 2.0% | 6.07 | 200 |  | 8 | right | fair |
        | 32 KiB | streaming | 8.10 | 2.0% | 6.07 | 200 |  | 8 | right | fair |

        ## Caveats

        - **1 job** (13 cells): all samples come from 1 job, and the next may lie elsewhere by more than ±. → Run the job three times, and compare such groups of runs: paw compare A1 A2 A3 -- B1 B2 B3.

    "#]].assert_eq(text.split("## How it was measured").next().unwrap_or_default());
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [40, 60, 80, 120] {
        for line in text(&messages(), width, Colour::Plain).lines() {
            assert!(line.width() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn pages_of_ranks_are_whole() {
    for run in [messages(), pairs(2), pairs(64), pairs(256), many(1), many(10)] {
        let page = html(std::slice::from_ref(&run));
        balanced(&page);
        links_lead_somewhere(&page);
        for drawing in drawings(&page) {
            Document::parse(drawing).unwrap_or_else(|e| panic!("{e}: {drawing}"));
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
        }
    }
}

fn classed<'a, 'i>(document: &'a Document<'i>, class: &str) -> Vec<Node<'a, 'i>> {
    let own = |node: &Node<'_, '_>| node.attribute("class").is_some_and(|c| c.split(' ').any(|one| one == class));
    document.descendants().filter(own).collect()
}

#[test]
fn the_layout_has_a_seat_for_each_rank_and_an_arc_for_each_pair() {
    for ranks in [2, 8, 32, 64] {
        let page = html(&[pairs(ranks)]);
        let drawing = drawings(&page).into_iter().find(|d| d.contains("class=\"layout\"")).expect("it is drawn");
        let document = Document::parse(drawing).expect("well-formed");
        assert_eq!(classed(&document, "seat").len(), ranks as usize);
        assert_eq!(classed(&document, "curve").len(), ranks as usize / 2);
        assert_eq!(classed(&document, "node").len(), ranks.div_ceil(4) as usize);
    }
}

#[test]
fn every_seat_stands_inside_its_socket_and_its_socket_inside_a_node() {
    let page = html(&[pairs(16)]);
    let drawing = drawings(&page).into_iter().find(|d| d.contains("class=\"layout\"")).expect("it is drawn");
    let document = Document::parse(drawing).expect("well-formed");
    let spans = |class: &str| {
        let number = |node: &Node<'_, '_>, name: &str| node.attribute(name).and_then(|v| v.parse::<f64>().ok());
        let span = |node: &Node<'_, '_>| (number(node, "x").unwrap(), number(node, "width").unwrap());
        classed(&document, class).iter().map(span).map(|(x, width)| (x, x + width)).collect::<Vec<_>>()
    };
    let inside = |(left, right): (f64, f64), outer: &[(f64, f64)]| outer.iter().any(|o| o.0 <= left && right <= o.1);
    assert!(spans("seat").into_iter().all(|seat| inside(seat, &spans("socket"))));
    assert!(spans("socket").into_iter().all(|socket| inside(socket, &spans("node"))));
}

#[test]
fn more_ranks_than_can_be_drawn_are_counted() {
    let page = html(&[pairs(256)]);
    assert!(!page.contains("<svg class=\"layout\""));
    assert!(page.contains("256 ranks on 64 nodes") && page.contains("across nodes <strong>128 pairs</strong>"));
}

#[test]
fn pairs_on_one_core_are_warned_of() {
    let mut run = pairs(2);
    run.teams[0].ranks.iter_mut().for_each(|rank| rank.core = Some(0));
    let page = html(std::slice::from_ref(&run));
    assert!(page.contains("same core: oversubscribed") && page.contains("Pairs on one core take turns"));
    assert!(text(&run, 80, Colour::Plain).contains("1 pair same core: oversubscribed"));
}

#[test]
fn curves_that_can_be_told_apart_share_a_plot_and_others_have_one_for_each_benchmark() {
    let plots = |run| drawings(&html(&[run])).iter().filter(|d| d.contains("class=\"plot\"")).count();
    // Times and bandwidths; each benchmark has four curves: two cadences on two numbers of ranks.
    assert_eq!(plots(many(2)), 2);
    assert_eq!(plots(many(10)), 20);
}

#[test]
fn small_multiples_have_the_same_axes() {
    let page = html(&[many(10)]);
    let ticks = |drawing: &str| {
        let document = Document::parse(drawing).expect("well-formed");
        classed(&document, "tick").iter().filter_map(|n| n.text().map(str::to_owned)).collect::<Vec<_>>()
    };
    let times: Vec<&str> = drawings(&page).into_iter().filter(|d| d.contains(" in µs over size")).collect();
    assert_eq!(times.len(), 10);
    assert!(times.iter().all(|plot| ticks(plot) == ticks(times[0])));
}

#[test]
fn runs_whose_pairs_lie_elsewhere_say_so_when_compared() {
    let (a, mut b) = (pairs(2), pairs(2));
    b.teams[0].ranks[1].host = "node9".into();
    let text = paw_report::compare(std::slice::from_ref(&a), std::slice::from_ref(&b), 120, Colour::Plain);
    assert!(text.contains("1 pair same socket") && text.contains("1 pair across nodes"), "{text}");
}

#[test]
fn the_way_back_is_held_against_the_way_there() {
    let run = directions(1);
    for (view, text) in [("text", text(&run, 100, Colour::Plain)), ("html", html(std::slice::from_ref(&run)))] {
        let text = text.to_lowercase();
        assert!(text.contains("against forward"), "{view}: {text}");
        assert!(text.contains("slower") && text.contains("2.000"), "{view}: {text}");
    }
}

#[test]
fn values_of_an_axis_are_compared_only_where_the_benchmark_states_that_they_do_the_same_work() {
    let mut run = directions(1);
    for record in &mut run.records {
        record.cell.benchmark = "p2p_isend".into();
    }
    let plain = text(&run, 100, Colour::Plain).to_lowercase();
    assert!(plain.contains("backward") && !plain.contains("against"), "{plain}");
    for record in &mut run.records {
        let axis = AlternativesAxis { axis: "direction".to_owned(), base: "backward".to_owned() };
        record.cell.report = record.cell.report_place().map(|place| ReportPlace { alternatives: Some(axis), ..place });
    }
    assert!(text(&run, 100, Colour::Plain).contains("against backward"));
}

#[test]
fn late_starts_are_counted_where_there_are_some() {
    let header = |run| text(&run, 100, Colour::Plain).lines().any(|line| line.contains("late "));
    assert!(header(directions(1)));
    assert!(!header(messages()));
}

#[test]
fn overlap_stands_beside_the_time() {
    let shown = text(&overlapped(0.625), 100, Colour::Plain);
    assert!(shown.contains("overlap") && shown.contains("62%"), "{shown}");
}

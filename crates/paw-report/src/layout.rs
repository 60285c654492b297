//! Where the ranks of a team run, and how close the two of each pair are.

use std::collections::HashMap;

use paw_data::cell::Rank;
use paw_data::pairing::{self, Closeness, Pair};
use paw_data::team::Team;
use paw_sort::OrderBy;

use crate::number::plural;
use crate::wrap::{printable, shorten};

/// Most characters of a library's description: some list pages of build options.
const LIBRARY: usize = 60;

#[derive(Debug, Clone, PartialEq)]
pub struct Node<'r> {
    pub host: &'r str,
    /// The node's sockets; one without a number holds ranks that may move between sockets.
    pub sockets: Vec<Socket<'r>>,
}

/// Ranks of one socket, by core.
#[derive(Debug, Clone, PartialEq)]
pub struct Socket<'r> {
    /// Its number, where it is known.
    pub package: Option<u32>,
    pub ranks: Vec<&'r Rank>,
}

/// A team's ranks by node, socket and core.
#[derive(Debug, Clone)]
pub struct Layout<'r> {
    pub team: &'r Team,
    /// Its nodes, by their first rank, each with its sockets.
    pub nodes: Vec<Node<'r>>,
    pub pairs: Vec<Pair>,
    /// How many pairs there are of each closeness.
    pub counts: Vec<(Closeness, usize)>,
}

/// Where the ranks of `team` run.
pub fn layout(team: &Team) -> Layout<'_> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut ranks: Vec<&Rank> = team.ranks.iter().collect();
    ranks.order_by_key(|rank| rank.rank);
    for rank in ranks {
        let place = *places.entry(&rank.host).or_insert_with(|| {
            nodes.push(Node { host: &rank.host, sockets: Vec::new() });
            nodes.len() - 1
        });
        let node = &mut nodes[place];
        match node.sockets.iter_mut().find(|socket| socket.package == rank.package) {
            Some(socket) => socket.ranks.push(rank),
            None => node.sockets.push(Socket { package: rank.package, ranks: vec![rank] }),
        }
    }
    for node in &mut nodes {
        node.sockets.order_by_key(|socket| socket.package);
        node.sockets.iter_mut().for_each(|socket| socket.ranks.order_by_key(|rank| (rank.core, rank.rank)));
    }
    let pairs = pairing::pairs(&team.ranks);
    let counts = pairing::counts(&pairs);
    Layout { team, nodes, pairs, counts }
}

impl Layout<'_> {
    /// `4 ranks on 2 nodes`, `2 ranks on node017`.
    pub fn size(&self) -> String {
        let ranks = plural(self.team.ranks.len(), "rank");
        match self.nodes.as_slice() {
            [] => ranks,
            [node] if node.host.is_empty() => format!("{ranks} on 1 node"),
            [node] => format!("{ranks} on {}", printable(node.host)),
            nodes => format!("{ranks} on {}", plural(nodes.len(), "node")),
        }
    }

    /// `2 pairs across sockets`, for each closeness that occurs.
    pub fn closeness(&self) -> Vec<String> {
        self.counts.iter().map(|(closeness, n)| format!("{} {}", plural(*n, "pair"), closeness.words())).collect()
    }

    /// Launcher, library and thread support, those unknown left out.
    pub fn circumstances(&self) -> Vec<String> {
        let library = self.team.library.as_ref().map(|library| first_line(&library.version));
        let threads = Some(&self.team.thread_level).filter(|level| !level.is_empty());
        let threads = threads.map(|level| format!("thread support {level}"));
        let all = [library, Some(self.team.launcher.clone()), threads].into_iter().flatten();
        all.filter(|part| !part.is_empty()).map(|part| printable(&part).into_owned()).collect()
    }

    pub fn line(&self) -> String {
        let mut parts = vec![self.size()];
        parts.extend(self.closeness());
        parts.extend(self.circumstances());
        parts.join(" · ")
    }
}

fn first_line(text: &str) -> String {
    shorten(text.lines().next().unwrap_or_default().trim(), LIBRARY)
}

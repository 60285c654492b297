//! A collective operation as one rank sees it: sends, receives and sums, one after the other.

use std::ops::Range;
use std::sync::Arc;

use crate::abi::{Datatype, Op};
use crate::address::Address;
use crate::clock::now_ns;
use crate::engine::Engine;
use crate::envelope::Envelope;
use crate::mailbox::Wanted;
use crate::neighbourhood::Grid;
use crate::reduction::fold;

/// Tags of one collective: several messages between the same two ranks that must not be mixed up.
const LANES: i32 = 64;

#[derive(Debug, Clone)]
enum Step {
    Send { to: usize, from: Range<usize>, lane: i32 },
    Receive { from: usize, into: Range<usize>, lane: i32 },
    Fold { from: Range<usize>, into: usize, kind: Datatype, op: Op },
    Copy { from: Range<usize>, into: usize },
}

/// Steps over a piece of memory of their own; results are copied out at the end.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) call: &'static str,
    pub(crate) rank: usize,
    pub(crate) size: usize,
    pub(crate) memory: Vec<u8>,
    pub(crate) is_done: bool,
    /// The grid of the communicator.
    pub(crate) grid: Option<Grid>,
    /// Ranks of the world, by rank of the communicator.
    members: Arc<[usize]>,
    context: u32,
    tag: i32,
    steps: Vec<Step>,
    next: usize,
    receiving: Option<usize>,
    outputs: Vec<(Range<usize>, Address)>,
    housekeeping: u64,
}

impl Plan {
    pub(crate) fn new(call: &'static str, (context, nth): (u32, i32), rank: usize, members: Arc<[usize]>) -> Self {
        Plan {
            call,
            rank,
            size: members.len(),
            memory: Vec::new(),
            is_done: false,
            grid: None,
            members,
            context,
            tag: (nth % (i32::MAX / LANES)) * LANES,
            steps: Vec::new(),
            next: 0,
            receiving: None,
            outputs: Vec::new(),
            housekeeping: 0,
        }
    }

    /// The library's own: its payloads are not corrupted.
    pub(crate) fn for_the_library_itself(mut self) -> Self {
        self.housekeeping = 1;
        self
    }

    /// `n` zeroed bytes.
    pub(crate) fn room(&mut self, n: usize) -> Range<usize> {
        let from = self.memory.len();
        self.memory.resize(from + n, 0);
        from..from + n
    }

    /// A copy of `n` bytes of the caller's.
    pub(crate) fn load(&mut self, from: Address, n: usize) -> Range<usize> {
        self.load_bytes(from.view(n))
    }

    pub(crate) fn load_bytes(&mut self, bytes: &[u8]) -> Range<usize> {
        let from = self.memory.len();
        self.memory.extend_from_slice(bytes);
        from..self.memory.len()
    }

    pub(crate) fn send(&mut self, to: usize, from: Range<usize>) {
        self.send_on(0, to, from);
    }

    pub(crate) fn send_on(&mut self, lane: i32, to: usize, from: Range<usize>) {
        self.steps.push(Step::Send { to, from, lane });
    }

    pub(crate) fn receive(&mut self, from: usize, into: Range<usize>) {
        self.receive_on(0, from, into);
    }

    pub(crate) fn receive_on(&mut self, lane: i32, from: usize, into: Range<usize>) {
        self.steps.push(Step::Receive { from, into, lane });
    }

    pub(crate) fn fold(&mut self, from: Range<usize>, into: usize, kind: Datatype, op: Op) {
        self.steps.push(Step::Fold { from, into, kind, op });
    }

    pub(crate) fn copy(&mut self, from: Range<usize>, into: usize) {
        self.steps.push(Step::Copy { from, into });
    }

    /// `what` goes to the caller in the end.
    pub(crate) fn deliver(&mut self, what: Range<usize>, to: Address) {
        self.outputs.push((what, to));
    }

    /// The rank `distance` ahead, round the communicator.
    pub(crate) fn ahead(&self, distance: usize) -> usize {
        (self.rank + distance) % self.size
    }

    pub(crate) fn behind(&self, distance: usize) -> usize {
        (self.rank + self.size - distance % self.size) % self.size
    }
}

impl Engine {
    /// Begins a plan, which goes on whenever the library is called.
    pub(crate) fn begin_plan(&mut self, plan: Plan) -> usize {
        let id = self.plans.insert(plan);
        self.active.push(id);
        self.advance(id);
        id
    }

    /// A plan that is done, which is gone thereafter.
    pub(crate) fn collect_plan(&mut self, id: usize) -> Option<Plan> {
        self.plans.get(id)?.is_done.then(|| self.plans.remove(id)).flatten()
    }

    /// As far as it goes.
    pub(crate) fn advance(&mut self, id: usize) {
        let Some(mut plan) = self.plans.lend(id) else { return };
        while plan.next < plan.steps.len() && self.step(&mut plan) {
            plan.next += 1;
        }
        if plan.next == plan.steps.len() {
            plan.is_done = true;
            for (what, to) in &plan.outputs {
                to.write(&plan.memory[what.clone()]);
            }
            self.active.retain(|active| *active != id);
        }
        self.plans.give_back(id, plan);
    }

    /// One step; whether it is done.
    fn step(&mut self, plan: &mut Plan) -> bool {
        match plan.steps[plan.next].clone() {
            Step::Send { to, from, lane } => {
                let mut envelope = Envelope::message(plan.context, plan.tag + lane);
                envelope.words[3] = plan.housekeeping;
                self.send(plan.call, plan.members[to], envelope, &plan.memory[from]);
            }
            Step::Receive { from, into, lane } => {
                let source = Some(plan.members[from]);
                let wanted = Wanted { context: plan.context, source, tag: Some(plan.tag + lane) };
                let receive = *plan.receiving.get_or_insert_with(|| self.mailbox.post(wanted, None));
                if !self.mailbox.is_received(receive, now_ns()) {
                    return false;
                }
                plan.receiving = None;
                let payload = self.mailbox.collect(receive).map(|arrived| arrived.payload).unwrap_or_default();
                // Ranks that disagree about lengths are the caller's error; what fits is taken.
                let n = payload.len().min(into.len());
                plan.memory[into.start..into.start + n].copy_from_slice(&payload[..n]);
            }
            Step::Fold { from, into, kind, op } => {
                let operand = plan.memory[from].to_vec();
                fold(kind, op, &operand, &mut plan.memory[into..into + operand.len()]);
            }
            Step::Copy { from, into } => plan.memory.copy_within(from, into),
        }
        true
    }
}

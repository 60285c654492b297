//! Requests: operations that are waited for later, once or again and again.

use std::ffi::c_int;
use std::sync::Arc;

use crate::abi::{ANY_SOURCE, ANY_TAG, Class, Handle, PROC_NULL};
use crate::clock::now_ns;
use crate::datatypes::Place;
use crate::engine::{Engine, Ticket};

/// What a request waits for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// Nothing: it is done, or a persistent one is not started.
    Done(Outcome),
    Send(Ticket),
    Receive {
        receive: usize,
        comm: Handle,
    },
    Plan(usize),
    /// An answer from a window.
    Fetch(u64),
    /// A message of which these parts are ready, a bit each.
    Parts(u64),
}

/// What a status says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) source: c_int,
    pub(crate) tag: c_int,
    pub(crate) bytes: usize,
    pub(crate) error: Option<Class>,
}

impl Outcome {
    /// Of a request that is not there, and of operations that receive nothing.
    pub(crate) const EMPTY: Outcome = Outcome { source: ANY_SOURCE, tag: ANY_TAG, bytes: 0, error: None };
    /// Of a receive from nobody.
    pub(crate) const NOBODY: Outcome = Outcome { source: PROC_NULL, ..Outcome::EMPTY };
}

/// How a persistent request begins again.
pub(crate) type Again = Arc<dyn Fn(&mut Engine) -> Result<Work, Class> + Send + Sync>;

/// One request.
pub(crate) struct Request {
    pub(crate) work: Work,
    pub(crate) again: Option<Again>,
    pub(crate) comm: Handle,
    /// How a message in parts is sent once all are ready, and how many there are.
    pub(crate) whole: Option<(Again, u32)>,
}

impl Engine {
    /// Begins a receive.
    pub(crate) fn receive(&mut self, comm: Handle, (source, tag): (c_int, c_int), place: Place) -> Result<Work, Class> {
        if source == PROC_NULL {
            return Ok(Work::Done(Outcome::NOBODY));
        }
        let wanted = self.communicator(comm)?.wanted(source, tag)?;
        Ok(Work::Receive { receive: self.mailbox.post(wanted, Some(place)), comm })
    }

    /// Begins a send.
    pub(crate) fn send_to(
        &mut self,
        call: &'static str,
        comm: Handle,
        (to, tag): (c_int, c_int),
        from: &Place,
    ) -> Result<Work, Class> {
        if to == PROC_NULL {
            return Ok(Work::Done(Outcome::EMPTY));
        }
        if tag < 0 {
            return Err(Class::Tag);
        }
        let communicator = self.communicator(comm)?;
        let (member, context) = (communicator.member(to)?, communicator.context * 2);
        let envelope = crate::envelope::Envelope::message(context, tag);
        Ok(Work::Send(from.payload(|payload| self.send(call, member, envelope, payload))))
    }

    pub(crate) fn is_ready(&self, work: Work) -> bool {
        match work {
            Work::Done(_) => true,
            Work::Send(ticket) => self.is_sent(ticket),
            Work::Receive { receive, .. } => self.mailbox.is_received(receive, now_ns()),
            Work::Plan(plan) => self.plans.get(plan).is_none_or(|plan| plan.is_done),
            Work::Fetch(fetch) => !self.fetches.contains_key(&fetch),
            Work::Parts(_) => false,
        }
    }

    /// The outcome of work that is ready, which is gone thereafter.
    pub(crate) fn finish(&mut self, work: Work) -> Outcome {
        match work {
            Work::Done(outcome) => outcome,
            Work::Send(_) | Work::Fetch(_) | Work::Parts(_) => Outcome::EMPTY,
            Work::Plan(plan) => {
                self.collect_plan(plan);
                Outcome::EMPTY
            }
            Work::Receive { receive, comm } => {
                let Some(arrived) = self.mailbox.collect(receive) else { return Outcome::EMPTY };
                Outcome {
                    source: self.communicator(comm).map_or(-1, |comm| comm.rank_of(arrived.source)),
                    tag: arrived.tag,
                    bytes: arrived.bytes,
                    error: arrived.truncated.then_some(Class::Truncate),
                }
            }
        }
    }

    /// A handle for work, which is done again on every start where `again` is given.
    pub(crate) fn request(&mut self, work: Work, again: Option<Again>, comm: Handle) -> Handle {
        self.requests.insert(Request { work, again, comm, whole: None })
    }

    /// A handle for a message in `parts` parts, which `whole` sends once all are ready.
    pub(crate) fn message_in_parts(&mut self, whole: Again, parts: u32, comm: Handle) -> Handle {
        let again: Again = Arc::new(|_| Ok(Work::Parts(0)));
        let work = Work::Done(Outcome::EMPTY);
        self.requests.insert(Request { work, again: Some(again), comm, whole: Some((whole, parts)) })
    }

    /// Notes that a part of a started message is ready; the last one sends it.
    pub(crate) fn part_is_ready(&mut self, handle: Handle, part: c_int) -> Result<(), Class> {
        let request = self.requests.get(handle).ok_or(Class::Request)?;
        let (Some((whole, parts)), Work::Parts(ready)) = (request.whole.clone(), request.work) else {
            return Err(Class::Request);
        };
        let part = u32::try_from(part).ok().filter(|part| *part < parts).ok_or(Class::Arg)?;
        if ready & (1 << part) != 0 {
            return Err(Class::Arg);
        }
        let ready = ready | 1 << part;
        let work = if ready.count_ones() == parts { whole(self)? } else { Work::Parts(ready) };
        if let Some(request) = self.requests.get_mut(handle) {
            request.work = work;
        }
        Ok(())
    }

    /// The outcome of a request if it is ready, and what its handle becomes.
    pub(crate) fn try_request(&mut self, handle: Handle) -> Result<Option<(Outcome, Handle)>, Class> {
        if handle == crate::abi::REQUEST_NULL {
            return Ok(Some((Outcome::EMPTY, handle)));
        }
        let request = self.requests.get(handle).ok_or(Class::Request)?;
        let (work, stays) = (request.work, request.again.is_some());
        if !self.is_ready(work) {
            return Ok(None);
        }
        let outcome = self.finish(work);
        if stays && let Some(request) = self.requests.get_mut(handle) {
            request.work = Work::Done(Outcome::EMPTY);
            return Ok(Some((outcome, handle)));
        }
        self.requests.remove(handle);
        Ok(Some((outcome, crate::abi::REQUEST_NULL)))
    }

    /// Whether a request would be ready.
    pub(crate) fn looks_ready(&self, handle: Handle) -> Result<bool, Class> {
        if handle == crate::abi::REQUEST_NULL {
            return Ok(true);
        }
        Ok(self.is_ready(self.requests.get(handle).ok_or(Class::Request)?.work))
    }

    /// Starts a persistent request.
    pub(crate) fn start(&mut self, handle: Handle) -> Result<(), Class> {
        let again = self.requests.get(handle).and_then(|r| r.again.clone()).ok_or(Class::Request)?;
        let work = again(self)?;
        if let Some(request) = self.requests.get_mut(handle) {
            request.work = work;
        }
        Ok(())
    }
}

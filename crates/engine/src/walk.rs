//! All runs one by one: a search along single paths, with inputs that can be anything.
//!
//! Where functions call themselves, no two paths meet in a place that a formula could speak about
//! for both; but often few inputs decide everything, and each choice is one path. So here paths
//! are followed to their ends one after the other, depth first: calls are entered however deep, and
//! where both sides of a branch can be taken, one is kept for later. What is known on a path is
//! kept over its inputs ([`knowledge`]), and a solver is asked only where that leaves two branches.
//!
//! When no path is left, every execution was searched. Long paths wait for the others.

pub mod knowledge;

use std::collections::BTreeSet;
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::{EdgeId, LocId};
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::{Encoder, Execution, Frame, Move};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Terms};

use crate::control::{Continuation, IndirectCalls, continuations};
use crate::property::{ErrorSites, Site};
use crate::unsupported::{Construct, Unsupported};
use knowledge::{Knowledge, News};

/// How far the walk came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walked {
    /// There is more to look at.
    More,
    /// Every execution was searched, but for what is listed in [`Walk::unsupported`].
    Finished,
    /// An error can be reached, by this path.
    Error(Site, Vec<Move>),
    /// There are too many paths.
    TooMany,
}

/// An open call.
#[derive(Clone)]
struct Open {
    caller: FuncId,
    edge: EdgeId,
    frame: Rc<Frame>,
}

/// A path that is not at its end.
#[derive(Clone)]
struct Path {
    func: FuncId,
    loc: LocId,
    open: Vec<Open>,
    execution: Execution,
    knowledge: Knowledge,
    steps: Vec<Move>,
}

/// A branch that can be taken.
struct Branch {
    step: Move,
    /// Whether the step is made: a call that is an error is one before.
    is_made: bool,
    end: BranchEnd,
    execution: Execution,
    news: News,
    frame: Option<Frame>,
}

enum BranchEnd {
    At(FuncId, LocId),
    Error(Site),
    Stuck(Rc<Unsupported>),
}

/// Whose runs are walked.
pub struct Subject<'p> {
    /// The program.
    pub program: &'p Program,
    /// What must not be reached.
    pub sites: &'p ErrorSites,
    /// Calls through pointers.
    pub calls: &'p dyn IndirectCalls,
    /// Where runs begin.
    pub entry: FuncId,
}

/// A walk through all runs.
pub struct Walk<'p> {
    subject: Subject<'p>,
    encoder: Encoder<'p>,
    terms: Terms,
    solver: Box<dyn Solver>,
    budget: Budget,
    /// Paths to go on with, the next one last.
    pending: Vec<Path>,
    /// Paths that are too long for now.
    waiting: Vec<Path>,
    /// How long paths may be for now.
    length: usize,
    /// Steps so far.
    pub steps: u64,
    /// The same with what queries take.
    work: u64,
    /// Paths that came to their end.
    pub paths: u64,
    /// Why paths were not followed.
    pub unsupported: BTreeSet<Unsupported>,
}

/// How long paths may be at first, and by how much that grows.
const FIRST_LENGTH: usize = 100;
const LENGTH_GROWTH: usize = 2;
/// More paths than this are not kept.
const MAX_PATHS: usize = 20_000;
/// Nor are so many steps of paths that are kept.
const MAX_KEPT_STEPS: usize = 20_000_000;
/// A query takes as long as so many steps.
const QUERY_STEPS: u64 = 100;
/// The limit of one query.
const QUERY: u32 = 2_000_000;

impl<'p> Walk<'p> {
    /// From the start of the program on; `None` if that cannot be encoded.
    pub fn new(
        subject: Subject<'p>,
        mut encoder: Encoder<'p>,
        solver: Box<dyn Solver>,
        budget: Budget,
    ) -> Option<Self> {
        let mut terms = Terms::new();
        let body = subject.program.funcs[subject.entry].body.as_ref()?;
        let mut execution = encoder.advance(&mut terms, Execution::default(), Move::Start).ok()?;
        let mut knowledge = Knowledge::default();
        let (facts, auxiliaries) = execution.take();
        let news = knowledge.learn(&mut terms, &facts, &auxiliaries)?;
        knowledge.keep(&terms, news);
        let first = Path {
            func: subject.entry,
            loc: body.entry(),
            open: Vec::new(),
            execution,
            knowledge,
            steps: Vec::new(),
        };
        Some(Self {
            subject,
            encoder,
            terms,
            solver,
            budget,
            pending: vec![first],
            waiting: Vec::new(),
            length: FIRST_LENGTH,
            steps: 0,
            work: 0,
            paths: 0,
            unsupported: BTreeSet::new(),
        })
    }

    /// The solver.
    pub fn solver(&self) -> &dyn Solver {
        self.solver.as_ref()
    }

    /// Walks so many steps, or fewer with queries.
    pub fn advance(&mut self, steps: u64) -> Result<Walked, Exhausted> {
        let until = self.work.saturating_add(steps);
        loop {
            let Some(path) = self.pending.pop() else {
                if self.waiting.is_empty() {
                    return Ok(Walked::Finished);
                }
                self.length = self.length.saturating_mul(LENGTH_GROWTH);
                self.pending = std::mem::take(&mut self.waiting);
                continue;
            };
            if let Some((site, steps)) = self.follow(path, until)? {
                return Ok(Walked::Error(site, steps));
            }
            let kept = || self.pending.iter().chain(&self.waiting);
            if kept().count() > MAX_PATHS
                || kept().map(|path| path.steps.len()).sum::<usize>() > MAX_KEPT_STEPS
            {
                return Ok(Walked::TooMany);
            }
            if self.work >= until {
                return Ok(Walked::More);
            }
        }
    }

    /// Follows a path to its end, to an error, or until it has to wait.
    fn follow(
        &mut self,
        mut path: Path,
        until: u64,
    ) -> Result<Option<(Site, Vec<Move>)>, Exhausted> {
        loop {
            self.budget.check()?;
            if self.work >= until {
                self.pending.push(path);
                return Ok(None);
            }
            if path.steps.len() >= self.length {
                self.waiting.push(path);
                return Ok(None);
            }
            self.steps += 1;
            self.work += 1;
            let branches = self.branches(&mut path);
            let mut branches = self.possible(&path, branches);
            let Some(last) = branches.pop() else {
                self.paths += 1;
                return Ok(None);
            };
            self.budget.report(
                "walk",
                format_args!("{} steps, {} paths to their ends", self.steps, self.paths),
            );
            let mut next = None;
            for branch in branches {
                let mut copy = path.clone();
                match self.go(&mut copy, branch) {
                    Gone::On => self.pending.push(copy),
                    Gone::Nowhere => {}
                    Gone::Error(site) => return Ok(Some((site, copy.steps))),
                }
            }
            match self.go(&mut path, last) {
                Gone::On => next = Some(path),
                Gone::Nowhere => {}
                Gone::Error(site) => return Ok(Some((site, path.steps))),
            }
            match next {
                Some(on) => path = on,
                None => {
                    self.paths += 1;
                    return Ok(None);
                }
            }
        }
    }

    /// All branches that are not plainly impossible.
    fn branches(&mut self, path: &mut Path) -> Vec<Branch> {
        let program = self.subject.program;
        let Some(body) = &program.funcs[path.func].body else { return Vec::new() };
        if path.loc == body.exit() {
            return self.back(path).into_iter().collect();
        }
        let mut branches = Vec::new();
        for &edge in body.out_edges(path.loc) {
            let to = body.edge(edge).to;
            let Subject { sites, calls, .. } = self.subject;
            for continuation in continuations(program, sites, calls, path.func, edge) {
                let plain = Move::Edge(path.func, edge);
                let (step, end) = match continuation {
                    Continuation::Next => (plain, BranchEnd::At(path.func, to)),
                    Continuation::Error(site) => (plain, BranchEnd::Error(site)),
                    Continuation::Stuck(what) => (plain, BranchEnd::Stuck(what)),
                    Continuation::Enter(callee) => {
                        let Some(inner) = &program.funcs[callee].body else { continue };
                        let step = Move::Enter { caller: path.func, edge, callee };
                        (step, BranchEnd::At(callee, inner.entry()))
                    }
                };
                branches.extend(self.branch(path, step, end));
            }
        }
        branches
    }

    fn back(&mut self, path: &mut Path) -> Option<Branch> {
        let Open { caller, edge, .. } = path.open.last()?;
        let (caller, edge, callee) = (*caller, *edge, path.func);
        let to = self.subject.program.funcs[caller].body.as_ref()?.edge(edge).to;
        self.branch(path, Move::Leave { caller, edge, callee }, BranchEnd::At(caller, to))
    }

    fn branch(&mut self, path: &mut Path, step: Move, end: BranchEnd) -> Option<Branch> {
        let nothing = |end| {
            let execution = path.execution.clone();
            Some(Branch {
                step,
                is_made: false,
                end,
                execution,
                news: News::default(),
                frame: None,
            })
        };
        let is_call = crate::explore::is_call(self.subject.program, step);
        match &end {
            BranchEnd::Stuck(_) => return nothing(end),
            // A call is an error already when it is made.
            BranchEnd::Error(_) if is_call => return nothing(end),
            _ => {}
        }
        let before = path.execution.clone();
        let (encoder, terms) = (&mut self.encoder, &mut self.terms);
        let encoded = match step {
            Move::Enter { caller, edge, callee } => encoder
                .enter(terms, before, (caller, edge), callee)
                .map(|(execution, frame)| (execution, Some(frame))),
            Move::Leave { .. } => {
                let frame = path.open.last()?.frame.clone();
                encoder.leave(terms, before, &frame).map(|execution| (execution, None))
            }
            _ => encoder.advance(terms, before, step).map(|execution| (execution, None)),
        };
        let (mut execution, frame) = match encoded {
            Ok(encoded) => encoded,
            Err(reason) => {
                let what = Construct::NotEncoded(reason.to_string());
                let place = match step {
                    Move::Edge(func, edge)
                    | Move::Enter { caller: func, edge, .. }
                    | Move::Leave { caller: func, edge, .. } => Some((func, edge)),
                    _ => None,
                };
                return nothing(BranchEnd::Stuck(Unsupported { what, place }.into()));
            }
        };
        let (facts, auxiliaries) = execution.take();
        let news = path.knowledge.learn(terms, &facts, &auxiliaries)?;
        Some(Branch { step, is_made: true, end, execution, news, frame })
    }

    /// The branches that can be taken. One of several must be possible, so a solver is asked only if
    /// there are several, or if the only one has conditions.
    fn possible(&mut self, path: &Path, branches: Vec<Branch>) -> Vec<Branch> {
        let is_open =
            branches.len() > 1 || branches.iter().any(|branch| !branch.news.conditions.is_empty());
        if !is_open {
            return branches;
        }
        let mut possible = Vec::with_capacity(branches.len());
        let (count, several) = (branches.len(), branches.len() > 1);
        for (number, branch) in branches.into_iter().enumerate() {
            if several && number + 1 == count && possible.is_empty() {
                // The others were not, and one must be.
                possible.push(branch);
                break;
            }
            let mut all = path.knowledge.conditions.clone();
            all.extend(&branch.news.conditions);
            let limits = Limits::default().with_resources(QUERY);
            let new = &branch.news.conditions;
            let is_plain = new.is_empty() || path.knowledge.leaves_room(&self.terms, new);
            let answer = match is_plain {
                true => Answer::Sat,
                false => {
                    self.work += QUERY_STEPS;
                    self.solver.check(&self.terms, &all, Purpose::FEASIBILITY, limits)
                }
            };
            if answer != Answer::Unsat {
                possible.push(branch);
            }
        }
        possible
    }

    fn go(&mut self, path: &mut Path, branch: Branch) -> Gone {
        path.knowledge.keep(&self.terms, branch.news);
        path.execution = branch.execution;
        if branch.is_made {
            path.steps.push(branch.step);
        }
        match (branch.step, branch.frame) {
            (Move::Enter { caller, edge, .. }, Some(frame)) => {
                path.open.push(Open { caller, edge, frame: Rc::new(frame) });
            }
            (Move::Leave { .. }, _) => {
                path.open.pop();
            }
            _ => {}
        }
        match branch.end {
            BranchEnd::At(func, loc) => {
                (path.func, path.loc) = (func, loc);
                Gone::On
            }
            BranchEnd::Error(site) => Gone::Error(site),
            BranchEnd::Stuck(reason) => {
                self.unsupported.insert(reason.as_ref().clone());
                Gone::Nowhere
            }
        }
    }
}

enum Gone {
    On,
    Nowhere,
    Error(Site),
}

//! The error projection in a page: its lines, and over each of them an error path (AEP 5).
//!
//! Many lines lie on one path, so lines name paths by number. [`ErrorPaths::of`] chooses the paths,
//! who calls it executes those of [`ErrorPaths::to_execute`], and [`ErrorPaths::shown`] puts together what is
//! known: of a path that was executed the values that it stores and what it takes from outside, which is
//! the condition under which the program fails on it; of every other what happens, and why there are
//! no values.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::Budget;
use gnomon_engine::check::NotExecuted;
use gnomon_engine::pushdown::projection::{Feasibility, ProjectedStep, Projection, line_of};
use gnomon_engine::replay::{Counterexample, NotConfirmed};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::span::FileId;
use gnomon_logic::encode::Move;

use crate::collect::Checked;
use crate::model::Step;
use crate::run::{describe, steps_without_values, with_slicer};

/// Paths over more projected lines are left out.
const MAX_LINES: usize = 5_000;
/// So many paths are executed, those over most lines first.
const MAX_EXECUTED: usize = 1_000;
/// Longer paths are cut in their middle.
const MAX_PATH: usize = 1_000;
/// So many steps all paths of a page have together.
const MAX_STEPS: usize = 20_000;

/// A line of an error projection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectedLine {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The valuations of predicates with which it lies on an error path; none if any will do.
    pub conditions: Vec<Vec<String>>,
    /// The number of an error path over the line.
    pub path: Option<usize>,
}

/// An error path, or to something that is unsupported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPath {
    /// Whether it can be executed: `feasible`, `infeasible` or `unknown`.
    pub feasibility: &'static str,
    /// Whether it ends in an error, or else in something that is unsupported.
    pub ends_in_error: bool,
    /// The lines that it passes, in order.
    pub steps: Vec<ErrorPathStep>,
    /// So many of them are left out in the middle.
    pub left_out: usize,
    /// What the run on it takes from outside, in order: with that the program fails.
    pub inputs: Vec<ErrorPathInput>,
    /// Why no values are known, if none are.
    pub no_values: Option<String>,
}

/// A line that a path passes, as a tuple: pages have many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPathStep(
    /// The number of the file in [`ProjectedLines::files`].
    pub usize,
    /// The line.
    pub u32,
    /// The number of open calls.
    pub u32,
    /// What happens, and the values that are stored.
    pub String,
    /// Whether it matters for reaching the error.
    pub bool,
);

/// A value from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPathInput {
    /// Where it is stored.
    pub place: String,
    /// The value.
    pub value: String,
    /// In which line.
    pub line: u32,
}

/// An error projection by lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectedLines {
    /// The files of steps.
    pub files: Vec<String>,
    /// Those in it.
    pub lines: Vec<ProjectedLine>,
    /// The paths that they name.
    pub paths: Vec<ErrorPath>,
    /// All lines with code that control flow reaches.
    pub all: Vec<(String, u32)>,
}

/// What became of the execution of a path.
pub type Executed = Result<Box<Counterexample>, NotExecuted>;

/// The paths of a projection that a page shows.
pub struct ErrorPaths<'a> {
    program: &'a Program,
    lines: Vec<ProjectedLine>,
    /// Each with the number of lines for which it is shown.
    chosen: Vec<(&'a ProjectedStep, usize)>,
    all: &'a BTreeSet<(FuncId, EdgeId)>,
}

impl<'a> ErrorPaths<'a> {
    /// Chooses a path over each line: one that can be executed to an error, if one is known.
    pub fn of(program: &'a Program, projection: &'a Projection) -> Self {
        let mut numbers: BTreeMap<&[Move], usize> = BTreeMap::new();
        let mut chosen: Vec<(&ProjectedStep, usize)> = Vec::new();
        let mut lines = Vec::new();
        for ((file, line), steps) in projection.lines(program) {
            let rank = |step: &&&ProjectedStep| (step.feasibility, !step.ends_in_error);
            let Some(&best) = steps.iter().min_by_key(rank) else { continue };
            let any = steps.iter().any(|step| step.conditions.is_empty());
            let conditions: BTreeSet<Vec<String>> =
                steps.iter().flat_map(|step| step.conditions.iter().cloned()).collect();
            let is_shown = lines.len() < MAX_LINES && !best.path.is_empty();
            let path = is_shown.then(|| {
                *numbers.entry(&best.path).or_insert_with(|| {
                    chosen.push((best, 0));
                    chosen.len() - 1
                })
            });
            if let Some(number) = path {
                chosen[number].1 += 1;
            }
            lines.push(ProjectedLine {
                file: program.files.name(file).to_owned(),
                line,
                conditions: if any { Vec::new() } else { conditions.into_iter().collect() },
                path,
            });
        }
        Self { program, lines, chosen, all: &projection.all_edges }
    }

    /// The numbers and paths of the paths that are worth executing, in this order.
    pub fn to_execute(&self) -> Vec<(usize, &'a [Move])> {
        let numbered = self.chosen.iter().enumerate();
        let mut wanted: Vec<_> = numbered
            .filter(|(_, (step, _))| {
                step.ends_in_error && step.feasibility != Feasibility::Infeasible
            })
            .collect();
        wanted.sort_by_key(|(number, (step, lines))| {
            (step.feasibility, std::cmp::Reverse(*lines), *number)
        });
        wanted.truncate(MAX_EXECUTED);
        wanted.into_iter().map(|(number, (step, _))| (number, &step.path[..])).collect()
    }

    /// What the page shows, when paths were executed, by number.
    pub fn shown(
        self,
        checked: &Checked<'_>,
        mut executed: BTreeMap<usize, Executed>,
        budget: &Budget,
    ) -> ProjectedLines {
        let name = |file: FileId| self.program.files.name(file).to_owned();
        let all: BTreeSet<(FileId, u32)> =
            self.all.iter().filter_map(|&(f, e)| line_of(self.program, f, e)).collect();
        let mut shown = ProjectedLines {
            files: Vec::new(),
            lines: self.lines,
            paths: Vec::new(),
            all: all.into_iter().map(|(file, line)| (name(file), line)).collect(),
        };
        let mut room = MAX_STEPS;
        let mut files = BTreeMap::new();
        shown.paths = with_slicer(checked, budget, |mut slicer| {
            let path = |(number, (step, _)): (usize, &(&ProjectedStep, usize))| {
                let (mut path, steps) = match known(self.program, step, executed.remove(&number)) {
                    Ok(run) => {
                        let run = describe(checked, &run, slicer.as_deref_mut(), budget);
                        (ErrorPath::executed(&run.steps), run.steps)
                    }
                    Err((feasibility, why)) => {
                        let path = ErrorPath::not_executed(feasibility, step.ends_in_error, why);
                        (path, steps_without_values(checked, &step.path))
                    }
                };
                path.put(&steps, &mut files, &mut room);
                path
            };
            self.chosen.iter().enumerate().map(path).collect()
        });
        shown.files = vec![String::new(); files.len()];
        for (file, number) in files {
            shown.files[number] = file;
        }
        shown
    }
}

/// The run on a path, if it was executed, or how feasible it is, and why there is no run.
fn known(
    program: &Program,
    step: &ProjectedStep,
    executed: Option<Executed>,
) -> Result<Box<Counterexample>, (Feasibility, String)> {
    let feasibility = step.feasibility;
    match executed {
        Some(Ok(run)) if passes(program, &run, &step.path) => Ok(run),
        Some(Ok(_)) => {
            let why = "with the inputs of a model of this way, the program fails on another one";
            Err((Feasibility::Unknown, why.to_owned()))
        }
        Some(Err(NotExecuted::Path(NotConfirmed::Infeasible))) => Err((
            Feasibility::Infeasible,
            "in integers it can be executed, but not bit by bit: it is shown because nothing in \
             the abstraction excludes it"
                .to_owned(),
        )),
        Some(Err(reason)) => Err((feasibility, reason.to_string())),
        None if feasibility == Feasibility::Infeasible => Err((
            feasibility,
            "it cannot be executed: it is shown because nothing in the abstraction excludes it"
                .to_owned(),
        )),
        None if !step.ends_in_error => {
            Err((feasibility, "it does not end in an error that a run could show".to_owned()))
        }
        None => Err((feasibility, format!("only {MAX_EXECUTED} paths were executed"))),
    }
}

/// Whether a run passes all lines of a path.
fn passes(program: &Program, run: &Counterexample, path: &[Move]) -> bool {
    let passed: BTreeSet<_> =
        run.edges.iter().filter_map(|taken| line_of(program, taken.func, taken.edge)).collect();
    path.iter().all(|step| match *step {
        Move::Edge(func, edge) | Move::Enter { caller: func, edge, .. } => {
            line_of(program, func, edge).is_none_or(|line| passed.contains(&line))
        }
        Move::Start | Move::Leave { .. } => true,
    })
}

impl ErrorPath {
    fn executed(steps: &[Step]) -> Self {
        let mut path = Self::not_executed(Feasibility::Feasible, true, String::new());
        path.no_values = None;
        let stored = steps
            .iter()
            .flat_map(|step| step.stored.iter().map(|stored| (step.location.line, stored)));
        let inputs = stored.filter(|(_, stored)| stored.is_input);
        path.inputs = inputs
            .map(|(line, input)| ErrorPathInput {
                place: input.place.clone(),
                value: input.value.clone(),
                line,
            })
            .collect();
        path
    }

    fn not_executed(feasibility: Feasibility, ends_in_error: bool, why: String) -> Self {
        Self {
            feasibility: match feasibility {
                Feasibility::Feasible => "feasible",
                Feasibility::Infeasible => "infeasible",
                Feasibility::Unknown => "unknown",
            },
            ends_in_error,
            steps: Vec::new(),
            left_out: 0,
            inputs: Vec::new(),
            no_values: Some(why),
        }
    }

    /// Takes the lines of steps over, as far as there is room.
    fn put(&mut self, steps: &[Step], files: &mut BTreeMap<String, usize>, room: &mut usize) {
        let mut lines: Vec<ErrorPathStep> = Vec::new();
        for step in steps {
            let new = files.len();
            let file = *files.entry(step.location.file.clone()).or_insert(new);
            let events = step.events().join(", ");
            match lines.last_mut() {
                Some(ErrorPathStep(f, line, depth, text, essential))
                    if (*f, *line, *depth) == (file, step.location.line, step.depth) =>
                {
                    if !text.is_empty() && !events.is_empty() {
                        *text += ", ";
                    }
                    *text += &events;
                    *essential |= step.essential;
                }
                _ => {
                    let (line, depth) = (step.location.line, step.depth);
                    lines.push(ErrorPathStep(file, line, depth, events, step.essential));
                }
            }
        }
        let all = lines.len();
        let most = MAX_PATH.min(*room);
        if all > most {
            lines.retain(|ErrorPathStep(.., essential)| *essential);
        }
        if lines.len() > most {
            // The end is the error.
            lines.drain(most / 2..lines.len() - (most - most / 2));
        }
        *room -= lines.len();
        self.left_out = all - lines.len();
        self.steps = lines;
    }
}

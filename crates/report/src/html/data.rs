//! The data of a page, small enough to be sent: texts are written once and named by number, steps are
//! tuples, and what is large is left out, the least important first. `data.js` and `runs.js` read it.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::program::{Program, source_name};
use serde::Serialize;

use super::error_paths::{ErrorPath, ErrorPathStep, ProjectedLine, ProjectedLines};
use super::graphs::{Graph, GraphArrow};
use super::{Page, Tree};
use crate::model::{Action, Answer, CertificateState, Execution, Location, Proof, Run, Step};

/// So large the data may become; what is around it is small.
const MOST_BYTES: usize = 1_800_000;
/// So many steps all runs of a page have together, and one run at least.
const MOST_STEPS: usize = 12_000;
const LEAST_STEPS: usize = 40;
/// So many invariants a page has.
const MOST_INVARIANTS: usize = 2_000;
/// Longer texts of formulas are cut.
const MOST_FORMULA: usize = 400;

/// Which names are those of variables of the whole program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes {
    globals: BTreeSet<String>,
    /// By function, the names of its variables.
    locals: BTreeMap<String, BTreeSet<String>>,
}

impl Scopes {
    /// The names of a program.
    pub fn of(program: &Program) -> Self {
        let mut scopes = Self::default();
        for var in program.vars.iter() {
            let name = source_name(&var.name).to_owned();
            match var.storage.function() {
                None => {
                    scopes.globals.insert(name);
                }
                Some(func) => {
                    let function = source_name(&program.funcs[func].name).to_owned();
                    scopes.locals.entry(function).or_default().insert(name);
                }
            }
        }
        scopes
    }

    /// Whether a place, as a function writes it, lies in a variable of the whole program.
    fn is_global(&self, function: &str, place: &str) -> bool {
        let name = place.split(['.', '[', '-']).next().unwrap_or_default();
        let is_local = self.locals.get(function).is_some_and(|names| names.contains(name));
        !is_local && self.globals.contains(name)
    }
}

/// A text, by its number.
type Text = u32;
/// A file and a line.
type Place = (usize, u32);

/// Texts that are written once.
#[derive(Default)]
struct Texts {
    numbers: BTreeMap<String, Text>,
    texts: Vec<String>,
}

impl Texts {
    fn number(&mut self, text: &str) -> Text {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as Text;
        self.numbers.insert(text.to_owned(), number);
        self.texts.push(text.to_owned());
        number
    }

    fn formula(&mut self, text: &str) -> Text {
        match text.char_indices().nth(MOST_FORMULA) {
            Some((end, _)) => self.number(&format!("{} …", &text[..end])),
            None => self.number(text),
        }
    }
}

/// The data of a page.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Data<'a> {
    tool: String,
    verdict: &'static str,
    task: TaskData<'a>,
    files: Vec<String>,
    /// By file, its text; none if it is not known.
    sources: Vec<Option<&'a str>>,
    findings: Vec<FindingData<'a>>,
    assumptions: Vec<(&'a str, Option<&'a str>)>,
    engine: Option<&'a str>,
    counts: &'a BTreeMap<String, f64>,
    seconds: &'a BTreeMap<String, f64>,
    /// By phase, seconds and how many reports there were until then.
    timeline: BTreeMap<&'a str, Vec<(f64, usize)>>,
    /// By number of predicates, how many places have so many.
    predicates: Vec<usize>,
    projection: Option<ProjectionData>,
    no_projection: Option<&'a str>,
    graphs: BTreeMap<&'a str, GraphData<'a>>,
    tree: Vec<NodeData>,
    no_tree: &'static str,
    strings: Vec<String>,
    /// What there was no room for.
    left_out: Vec<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct TaskData<'a> {
    files: Vec<&'a str>,
    property: &'a str,
    entry: &'a str,
    data_model: &'a str,
}

#[derive(Serialize)]
struct FindingData<'a> {
    verdict: &'static str,
    what: &'a str,
    place: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<ProofData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<UnknownData<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct RunData<'a> {
    message: &'a str,
    length: u64,
    threads: &'a [String],
    slice: Option<(u64, u64, &'a str)>,
    execution: (&'static str, String),
    steps: Vec<StepData>,
    /// So many steps are left out before the step of number `cut`.
    left_out: usize,
    cut: usize,
}

/// File, line, depth, function, kind, what, whether it matters, what is stored, thread.
#[derive(Serialize)]
struct StepData(
    usize,
    u32,
    u32,
    Text,
    u8,
    Text,
    u8,
    Vec<Text>,
    #[serde(skip_serializing_if = "Option::is_none")] Option<u32>,
);

#[derive(Serialize)]
struct ProofData<'a> {
    text: &'a str,
    certificate: (&'static str, String),
    /// File, line and formula.
    invariants: Vec<(usize, u32, Text)>,
    /// So many more there are.
    more: usize,
}

#[derive(Serialize)]
struct UnknownData<'a> {
    reason: &'a str,
    partial: &'a [String],
    advice: &'a [String],
}

/// File, line, conditions, the number of a path over it, the number of a finding with a run over it.
#[derive(Serialize)]
struct LineData(usize, u32, Vec<Vec<Text>>, Option<usize>, Option<usize>);

#[derive(Serialize)]
struct ProjectionData {
    lines: Vec<LineData>,
    /// By file, the other lines with code.
    others: Vec<(usize, Vec<u32>)>,
    paths: Vec<PathData>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct PathData {
    feasibility: &'static str,
    ends_in_error: bool,
    /// File, line, depth, what happens, whether it matters.
    steps: Vec<(usize, u32, u32, Text, u8)>,
    left_out: usize,
    inputs: Vec<(Text, Text, u32)>,
    why: Option<Text>,
}

#[derive(Serialize)]
struct GraphData<'a> {
    size: (i32, i32),
    file: usize,
    boxes: Vec<(i32, i32, i32, i32, i64)>,
    texts: Vec<(i32, i32, Text)>,
    arrows: Vec<(&'a [i32], u8, u8)>,
}

/// Parent, file, line, function, region, who covers it, whether it waits.
#[derive(Serialize)]
struct NodeData(Option<usize>, Option<usize>, u32, Text, Text, Option<usize>, u8);

/// Makes data of a page.
struct Maker<'a> {
    page: &'a Page<'a>,
    texts: Texts,
    files: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl<'a> Data<'a> {
    pub(super) fn of(page: &'a Page<'a>) -> Self {
        let maker =
            Maker { page, texts: Texts::default(), files: Vec::new(), numbers: BTreeMap::new() };
        maker.data()
    }

    /// The data as text in which nothing ends the element that holds it. Where it is too large, graphs go
    /// first, then the tree, then paths, then sources without a finding, then all sources.
    pub(super) fn within_limit(mut self) -> serde_json::Result<String> {
        /// Takes something away, if it is there.
        type Shorten<'a> = fn(&mut Data<'a>) -> bool;
        let shorter: [(&'static str, Shorten<'a>); 5] = [
            ("graphs", |data| !std::mem::take(&mut data.graphs).is_empty()),
            ("the reachability tree", |data| {
                data.no_tree = "There is no room for the reachability tree in this page.";
                !std::mem::take(&mut data.tree).is_empty()
            }),
            ("error paths over lines", |data| {
                let Some(projection) = &mut data.projection else { return false };
                projection.lines.iter_mut().for_each(|line| line.3 = None);
                !std::mem::take(&mut projection.paths).is_empty()
            }),
            ("sources in which nothing was found", |data| {
                let used: BTreeSet<usize> =
                    data.findings.iter().flat_map(FindingData::files).collect();
                data.without_sources(|file| !used.contains(&file))
            }),
            ("sources", |data| data.without_sources(|_| true)),
        ];
        let mut shorter = shorter.into_iter();
        loop {
            let text = serde_json::to_string(&self)?.replace('<', "\\u003c");
            if text.len() <= MOST_BYTES {
                return Ok(text);
            }
            let removed = shorter.by_ref().find(|(_, shorten)| shorten(&mut self));
            let Some((what, _)) = removed else { return Ok(text) };
            self.left_out.push(what);
        }
    }

    fn without_sources(&mut self, which: impl Fn(usize) -> bool) -> bool {
        let texts = self.sources.iter_mut().enumerate().filter(|(file, _)| which(*file));
        texts.fold(false, |any, (_, text)| text.take().is_some() || any)
    }
}

impl FindingData<'_> {
    fn files(&self) -> impl Iterator<Item = usize> {
        let steps = self.run.iter().flat_map(|run| run.steps.iter().map(|step| step.0));
        self.place.iter().map(|place| place.0).chain(steps)
    }
}

impl<'a> Maker<'a> {
    fn data(mut self) -> Data<'a> {
        let report = self.page.report;
        // The user's files come first, in the order in which they were given.
        for file in &report.task.files {
            if self.page.sources.contains_key(&file.name) {
                self.file(&file.name);
            }
        }
        for name in self.page.sources.keys() {
            self.file(name);
        }
        let runs = report.findings.iter().filter(|f| matches!(f.answer, Answer::Violated(_)));
        let most_steps = (MOST_STEPS / runs.count().max(1)).max(LEAST_STEPS);
        let mut invariants = MOST_INVARIANTS;
        let mut findings = Vec::with_capacity(report.findings.len());
        for finding in &report.findings {
            let at = finding.location.as_ref();
            let mut data = FindingData {
                verdict: finding.answer.verdict().as_str(),
                what: &finding.what,
                place: at.map(|at| (self.file(&at.file), at.line)),
                run: None,
                proof: None,
                unknown: None,
            };
            match &finding.answer {
                Answer::Violated(run) => {
                    data.place = data.place.or_else(|| self.place(run.location.as_ref()));
                    data.run = Some(self.run(run, most_steps));
                }
                Answer::Proved(proof) => data.proof = Some(self.proof(proof, &mut invariants)),
                Answer::Unknown(unknown) => {
                    data.place = data.place.or_else(|| self.told_place(unknown.place.as_deref()?));
                    data.unknown = Some(UnknownData {
                        reason: &unknown.reason,
                        partial: &unknown.partial,
                        advice: &unknown.advice,
                    });
                }
            }
            findings.push(data);
        }
        let projection = self.page.projection.as_ref().map(|lines| self.projection(lines));
        let graphs = self.page.graphs.iter();
        let graphs = graphs.map(|(name, graph)| (&name[..], self.graph(graph))).collect();
        let (tree, no_tree) = match &self.page.tree {
            Tree::Missing(why) => (Vec::new(), *why),
            Tree::Nodes(nodes) => (nodes.iter().map(|node| self.node(node)).collect(), ""),
        };
        let task = &report.task;
        let sources = self.files.iter().map(|name| self.page.sources.get(name).map(|s| &s[..]));
        Data {
            tool: format!("{} {}", report.tool.name, report.tool.version),
            verdict: report.verdict.as_str(),
            task: TaskData {
                files: task.files.iter().map(|file| &file.name[..]).collect(),
                property: &task.property,
                entry: &task.entry,
                data_model: &task.data_model,
            },
            sources: sources.collect(),
            findings,
            assumptions: report
                .assumptions
                .iter()
                .map(|assumed| (&assumed.text[..], assumed.place.as_deref()))
                .collect(),
            engine: report.engine.as_deref(),
            counts: &report.counts,
            seconds: &report.seconds,
            timeline: self
                .page
                .timeline
                .iter()
                .map(|(k, times)| (&k[..], thinned(times)))
                .collect(),
            predicates: predicates(self.page),
            projection,
            no_projection: self.page.no_projection.as_deref(),
            graphs,
            tree,
            no_tree,
            files: self.files,
            strings: self.texts.texts,
            left_out: Vec::new(),
        }
    }

    fn file(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.files.len();
        self.numbers.insert(name.to_owned(), number);
        self.files.push(name.to_owned());
        number
    }

    fn place(&mut self, location: Option<&Location>) -> Option<Place> {
        location.map(|at| (self.file(&at.file), at.line))
    }

    /// The place in `file:line:column`.
    fn told_place(&mut self, told: &str) -> Option<Place> {
        let mut parts = told.rsplitn(3, ':');
        let (_, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        Some((self.file(file), line.parse().ok()?))
    }

    fn run(&mut self, run: &'a Run, most: usize) -> RunData<'a> {
        let mut steps: Vec<&Step> = run.steps.iter().collect();
        let all = steps.len();
        if all > most {
            steps.retain(|step| step.essential);
        }
        let mut cut = 0;
        if steps.len() > most {
            // The end is the error.
            cut = most / 4;
            steps.drain(cut..steps.len() - (most - cut));
        }
        RunData {
            message: &run.message,
            length: run.length,
            threads: &run.threads,
            slice: run.slice.as_ref().map(|slice| (slice.kept, slice.steps, &slice.claim[..])),
            execution: match &run.execution {
                Execution::NotTried => ("not-tried", String::new()),
                Execution::Confirmed => ("confirmed", String::new()),
                Execution::NotConfirmed(why) => ("not-confirmed", why.clone()),
            },
            left_out: all - steps.len(),
            cut,
            steps: steps.into_iter().map(|step| self.step(step)).collect(),
        }
    }

    fn step(&mut self, step: &Step) -> StepData {
        let (kind, what) = match &step.action {
            Action::Statement => (0, ""),
            Action::Condition(condition) => (1, &condition[..]),
            Action::Call(function) => (2, &function[..]),
            Action::Back(function) => (3, &function[..]),
            Action::Return => (4, ""),
            Action::Check => (5, ""),
        };
        let function = &step.location.function;
        let mut stored = Vec::with_capacity(3 * step.stored.len());
        for value in &step.stored {
            let is_global = self.page.scopes.is_global(function, &value.place);
            let flags = u32::from(value.is_input) | u32::from(is_global) << 1;
            let (place, value) = (self.texts.number(&value.place), self.texts.number(&value.value));
            stored.extend([place, value, flags]);
        }
        StepData(
            self.file(&step.location.file),
            step.location.line,
            step.depth,
            self.texts.number(function),
            kind,
            self.texts.formula(what),
            step.essential.into(),
            stored,
            step.thread,
        )
    }

    fn proof(&mut self, proof: &'a Proof, room: &mut usize) -> ProofData<'a> {
        let placed = proof.invariants.iter().filter(|invariant| invariant.formula != "true");
        let placed = placed.filter_map(|i| Some((i.location.as_ref()?, &i.formula)));
        let all: Vec<_> = placed.collect();
        let shown = all.len().min(*room);
        *room -= shown;
        let invariant = |(at, formula): &(&Location, &String)| {
            (self.file(&at.file), at.line, self.texts.formula(formula))
        };
        ProofData {
            text: &proof.text,
            certificate: match &proof.certificate {
                CertificateState::NotChecked => ("not-checked", String::new()),
                CertificateState::Accepted => ("accepted", String::new()),
                CertificateState::AcceptedTrusting(facts) => {
                    ("accepted-trusting", facts.to_string())
                }
                CertificateState::NotDecided(why) => ("not-decided", why.clone()),
            },
            invariants: all[..shown].iter().map(invariant).collect(),
            more: all.len() - shown,
        }
    }

    /// The projection, in agreement with the runs: what a run has passed can be passed, so that a path
    /// of which this is not known is no explanation of such a line. The run is.
    fn projection(&mut self, lines: &ProjectedLines) -> ProjectionData {
        let passed = passed_lines(self.page);
        let is_shown = |path: &ErrorPath| path.no_values.is_none();
        let mut projected = BTreeMap::new();
        for ProjectedLine { file, line, conditions, path } in &lines.lines {
            let run = passed.get(&(&file[..], *line)).copied();
            let path = path.filter(|path| run.is_none() || is_shown(&lines.paths[*path]));
            let conditions = self.conditions(conditions);
            projected.insert((self.file(file), *line), (conditions, path, run));
        }
        for (&(file, line), &run) in &passed {
            let place = (self.file(file), line);
            projected.entry(place).or_insert((Vec::new(), None, Some(run)));
        }
        let mut others: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (file, line) in &lines.all {
            let file = self.file(file);
            if !projected.contains_key(&(file, *line)) {
                others.entry(file).or_default().push(*line);
            }
        }
        let projected = projected.into_iter();
        ProjectionData {
            lines: projected
                .map(|((file, line), (c, p, r))| LineData(file, line, c, p, r))
                .collect(),
            others: others.into_iter().collect(),
            paths: lines.paths.iter().map(|path| self.path(path, &lines.files)).collect(),
        }
    }

    /// Conditions in the user's names; none if one of them needs others.
    fn conditions(&mut self, conditions: &[Vec<String>]) -> Vec<Vec<Text>> {
        let readable = |all: &Vec<String>| all.iter().map(|one| readable(one)).collect();
        let readable: Option<Vec<Vec<String>>> = conditions.iter().map(readable).collect();
        let numbers = |all: Vec<String>| all.iter().map(|one| self.texts.formula(one)).collect();
        readable.unwrap_or_default().into_iter().map(numbers).collect()
    }

    fn path(&mut self, path: &ErrorPath, files: &[String]) -> PathData {
        let step = |ErrorPathStep(file, line, depth, text, essential): &ErrorPathStep| {
            let (file, text) = (self.file(&files[*file]), self.texts.formula(text));
            (file, *line, *depth, text, u8::from(*essential))
        };
        PathData {
            feasibility: path.feasibility,
            ends_in_error: path.ends_in_error,
            steps: path.steps.iter().map(step).collect(),
            left_out: path.left_out,
            inputs: path
                .inputs
                .iter()
                .map(|i| (self.texts.number(&i.place), self.texts.number(&i.value), i.line))
                .collect(),
            why: path.no_values.as_ref().map(|why| self.texts.number(why)),
        }
    }

    fn graph(&mut self, graph: &'a Graph) -> GraphData<'a> {
        let arrow =
            |arrow: &'a GraphArrow| (&arrow.points[..], arrow.head.into(), arrow.tail.into());
        let labels = graph.labels.iter();
        GraphData {
            size: graph.size,
            file: self.file(&graph.file),
            boxes: graph
                .boxes
                .iter()
                .map(|b| (b.at.0, b.at.1, b.size.0, b.size.1, b.line))
                .collect(),
            texts: labels.map(|(x, y, text)| (*x, *y, self.texts.number(text))).collect(),
            arrows: graph.arrows.iter().map(arrow).collect(),
        }
    }

    fn node(&mut self, node: &super::TreeNode) -> NodeData {
        let place = node.place.as_ref();
        NodeData(
            node.parent,
            place.map(|(file, _)| self.file(file)),
            place.map_or(0, |(_, line)| *line),
            self.texts.number(&node.function),
            self.texts.formula(&node.region),
            node.covered_by,
            node.waits.into(),
        )
    }
}

/// A condition without the detour over addresses; none if it has names that the front end made, or
/// speaks about addresses itself.
fn readable(condition: &str) -> Option<String> {
    let text = condition.replace("*&", "");
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next().unwrap_or(' ');
        let begins_name = next.is_ascii_alphabetic() || next == '_';
        let is_member = before.is_ascii_alphanumeric() || matches!(before, '_' | ')' | ']' | '.');
        if begins_name && (c == '&' || c == '.' && !is_member) {
            return None;
        }
        before = c;
    }
    Some(text)
}

/// The lines that runs pass, each with the number of the first finding whose run passes it.
fn passed_lines<'a>(page: &'a Page<'_>) -> BTreeMap<(&'a str, u32), usize> {
    let mut passed = BTreeMap::new();
    for (number, finding) in page.report.findings.iter().enumerate() {
        if let Answer::Violated(run) = &finding.answer {
            for step in &run.steps {
                passed.entry((&step.location.file[..], step.location.line)).or_insert(number);
            }
        }
    }
    passed
}

/// By number of predicates, how many places have so many; a long tail is cut.
fn predicates(page: &Page<'_>) -> Vec<usize> {
    const MOST: usize = 40;
    let mut counts = Vec::new();
    for finding in &page.report.findings {
        if let Answer::Proved(proof) = &finding.answer {
            for invariant in proof.invariants.iter().filter(|i| i.predicates <= MOST) {
                counts.resize(counts.len().max(invariant.predicates + 1), 0);
                counts[invariant.predicates] += 1;
            }
        }
    }
    counts
}

/// At most some hundred of many times, in milliseconds, each with its number.
fn thinned(times: &[f64]) -> Vec<(f64, usize)> {
    const MOST: usize = 400;
    let every = times.len() / MOST + 1;
    let numbered = times.iter().zip(1..).step_by(every);
    numbered.map(|(time, number)| ((time * 1e3).round() / 1e3, number)).collect()
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn conditions_have_the_names_of_the_user() {
        let kept = |text: &str| readable(text).expect("a condition that can be shown");
        assert_eq!(kept("!(*&door == 3)"), "!(door == 3)");
        assert_eq!(kept("a[1].x + p.next.y <= 0.5"), "a[1].x + p.next.y <= 0.5");
        assert_eq!(kept("x & 3 && y"), "x & 3 && y");
        assert_eq!(readable("!(.t0 == door)"), None);
        assert_eq!(readable("(3 - door) % &door == 0"), None);
    }
}

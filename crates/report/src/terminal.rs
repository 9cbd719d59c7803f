//! The outcome as text: the verdict first, then what stands behind it.
//!
//! Of a run only the steps that matter are shown, as lines of the source with the values that they
//! store and the conditions that they find true; calls are indented, and repetitions of the same
//! lines are told as a number. Of what is still long, the beginning and the end are shown, unless all is
//! asked for. What a person reads stays short however long the run is. Where nothing is known, what the
//! user can do comes before what the engines say.

use std::collections::BTreeMap;
use std::fmt::Write;

use anstyle::AnsiColor;
use gnomon_ir::trace::Input;

use crate::fold;
use crate::model::{
    Action, Answer, AssumptionKind, Finding, Proof, Report, Run, Step, Stored, Unknown, VerdictName,
};

/// The lines of source files, by name.
pub type Sources = BTreeMap<String, Vec<String>>;

/// How text is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Without colours.
    #[default]
    Plain,
    /// With the colours of terminals.
    Coloured,
}

/// How much of a run is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// The beginning and the end, if it is long.
    #[default]
    Folded,
    /// All lines.
    Full,
}

/// What parts of a text are.
#[derive(Clone, Copy)]
enum Part {
    Good,
    Bad,
    Open,
    Dim,
    Value,
}

impl Style {
    fn paint(self, part: Part, text: &str) -> String {
        let style = match part {
            Part::Good => AnsiColor::Green.on_default().bold(),
            Part::Bad => AnsiColor::Red.on_default().bold(),
            Part::Open => AnsiColor::Yellow.on_default().bold(),
            Part::Dim => anstyle::Style::new().dimmed(),
            Part::Value => AnsiColor::Cyan.on_default(),
        };
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("{style}{text}{style:#}"),
        }
    }
}

/// More events of one line are not shown.
const EVENTS: usize = 6;
/// The column behind the source text in which values begin.
const VALUES_FROM: usize = 44;

/// A finding, the verdict first. `replay` is the command that repeats a run.
pub fn finding(
    finding: &Finding,
    sources: &Sources,
    style: Style,
    length: Length,
    replay: &str,
) -> String {
    match &finding.answer {
        Answer::Proved(proof) => proved(proof, style),
        Answer::Violated(run) => violated(run, sources, style, length, replay),
        Answer::Unknown(unknown) => open(unknown, style),
    }
}

fn proved(proof: &Proof, style: Style) -> String {
    let mut text = format!("{}: {}\n", style.paint(Part::Good, "TRUE"), proof.text);
    let places = proof.invariants.len();
    if places > 0 {
        let most = proof.invariants.iter().map(|i| i.predicates).max().unwrap_or(0);
        let _ = writeln!(
            text,
            "  invariants at {places} locations, predicates of a location: at most {most} \
             (--invariants shows them)"
        );
    }
    text
}

fn open(unknown: &Unknown, style: Style) -> String {
    let mut text = format!("{}: {}\n", style.paint(Part::Open, "UNKNOWN"), unknown.reason);
    for advice in &unknown.advice {
        let _ = writeln!(text, "  try: {advice}");
    }
    for line in &unknown.partial {
        let _ = writeln!(text, "  {line}");
    }
    text
}

fn violated(run: &Run, sources: &Sources, style: Style, length: Length, replay: &str) -> String {
    let place = run.location.as_ref().map(|at| format!(", at {}:{}", at.file, at.line));
    let mut text = format!(
        "{}: {}{}\n",
        style.paint(Part::Bad, "FALSE"),
        run.message,
        place.unwrap_or_default()
    );
    let arguments = arguments(run);
    if !arguments.is_empty() {
        let values: Vec<String> =
            arguments.iter().map(|s| format!("{} = {}", s.place, s.value)).collect();
        let entry = run.steps.first().map_or("the entry", |first| &first.location.function);
        let values = style.paint(Part::Value, &values.join(", "));
        let _ = writeln!(text, "  {entry} is called with {values}");
    }
    let lines = shown(&lines_of(run), length);
    let width = lines.iter().map(|line| line.place().len()).max().unwrap_or(0);
    for line in &lines {
        text += &line.text(sources, style, width);
    }
    if let Some(slice) = &run.slice
        && slice.kept < slice.steps
    {
        let _ = writeln!(
            text,
            "{}",
            style.paint(
                Part::Dim,
                &format!(
                    "  {} of {} steps are not shown: they do not matter for reaching the error",
                    slice.steps - slice.kept,
                    slice.steps
                )
            )
        );
    }
    if !replay.is_empty() {
        let _ = writeln!(text, "{}", style.paint(Part::Dim, &format!("  see it fail: {replay}")));
    }
    text
}

/// A line of the text of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    /// Of the source.
    Source { file: String, line: u32, depth: u32, events: Vec<String> },
    /// So many more iterations of the lines before.
    Repeated { depth: u32, iterations: usize },
    /// So many lines that are not shown.
    Folded { lines: usize },
}

impl Line {
    fn place(&self) -> String {
        match self {
            Self::Source { file, line, depth, .. } => {
                format!("{:indent$}{file}:{line}", "", indent = 2 * *depth as usize)
            }
            Self::Repeated { .. } | Self::Folded { .. } => String::new(),
        }
    }

    fn text(&self, sources: &Sources, style: Style, width: usize) -> String {
        let (file, line, events) = match self {
            Self::Source { file, line, events, .. } => (file, line, events),
            Self::Repeated { depth, iterations } => {
                let indent = 2 * *depth as usize;
                let told = format!("{:indent$}... {iterations} more iterations", "");
                return style.paint(Part::Dim, &told) + "\n";
            }
            Self::Folded { lines } => {
                let told = format!("  ... {lines} more lines (--full shows them)");
                return style.paint(Part::Dim, &told) + "\n";
            }
        };
        let source = sources.get(file).and_then(|lines| lines.get(*line as usize - 1));
        let source = source.map_or("", |line| line.trim());
        let more = if events.len() > EVENTS { ", ..." } else { "" };
        let events = events[..events.len().min(EVENTS)].join(", ") + more;
        let place = self.place();
        let mut text = match source {
            "" => place,
            _ => format!("{place:width$}  {source}"),
        };
        if !events.is_empty() {
            let column = width + 2 + VALUES_FROM;
            let gap = column.saturating_sub(text.chars().count()).max(2);
            let _ = write!(text, "{:gap$}{}", "", style.paint(Part::Value, &events));
        }
        text + "\n"
    }

    fn key(&self) -> Option<(&str, u32, u32)> {
        match self {
            Self::Source { file, line, depth, .. } => Some((file, *line, *depth)),
            Self::Repeated { .. } | Self::Folded { .. } => None,
        }
    }
}

/// The lines that the steps that matter pass.
fn lines_of(run: &Run) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (at, step) in run.steps.iter().enumerate().filter(|(_, step)| step.essential) {
        let (file, line) = (&step.location.file, step.location.line);
        // The arguments of the entry are told before.
        let told = if at == 0 { arguments(run).len() } else { 0 };
        let new = events(step, told);
        match lines.last_mut() {
            Some(Line::Source { file: f, line: l, depth, events })
                if (&*f, *l, *depth) == (file, line, step.depth) =>
            {
                events.extend(new);
            }
            _ => lines.push(Line::Source {
                file: file.clone(),
                line,
                depth: step.depth,
                events: new,
            }),
        }
    }
    lines
}

/// What the entry was called with: the first things that the first step has.
fn arguments(run: &Run) -> &[Stored] {
    let stored = run.steps.first().map_or(&[][..], |first| &first.stored[..]);
    let is_argument = |place: &str| {
        run.inputs.inputs.iter().any(|input| match input {
            Input::Argument { name, .. } => name == place,
            _ => false,
        })
    };
    // What comes again is stored by the step.
    let is_first = |at: usize| !stored[..at].iter().any(|before| before.place == stored[at].place);
    let count = (0..stored.len()).take_while(|&at| is_argument(&stored[at].place) && is_first(at));
    &stored[..count.count()]
}

/// What a step does, but for what was told of it.
fn events(step: &Step, told: usize) -> Vec<String> {
    let mut events: Vec<String> = step.stored[told..]
        .iter()
        .map(|s| format!("{} = {}{}", s.place, s.value, if s.is_input { " (input)" } else { "" }))
        .collect();
    if let Action::Condition(condition) = &step.action {
        events.push(format!("[{condition}]"));
    }
    events
}

/// What is shown of lines.
fn shown(lines: &[Line], length: Length) -> Vec<Line> {
    let keys: Vec<_> = lines.iter().map(Line::key).collect();
    let mut parts = fold::collapsed(&keys);
    if length == Length::Folded {
        parts = fold::cut(parts);
    }
    let line = |part: fold::Part| match part {
        fold::Part::Line(at) => lines[at].clone(),
        fold::Part::Repeated { first, iterations } => {
            Line::Repeated { depth: keys[first].map_or(0, |(_, _, depth)| depth), iterations }
        }
        fold::Part::Left(lines) => Line::Folded { lines },
    };
    parts.into_iter().map(line).collect()
}

/// What the verdict relies on, one line each.
pub fn assumptions(report: &Report) -> String {
    let mut text = String::new();
    for assumption in &report.assumptions {
        let place = assumption.place.as_ref().map(|place| format!(" ({place})"));
        let _ = writeln!(text, "assumed: {}{}", assumption.text, place.unwrap_or_default());
    }
    text
}

/// The last line: `VERDICT: TRUE`, `VERDICT: FALSE` or `VERDICT: UNKNOWN (reason)`.
pub fn verdict_line(report: &Report) -> String {
    let reason = match (report.verdict, &report.findings[..]) {
        (VerdictName::Unknown, [Finding { answer: Answer::Unknown(unknown), .. }]) => {
            format!(" ({})", unknown.reason)
        }
        (VerdictName::Unknown, _) => " (some sites are not decided)".to_owned(),
        (VerdictName::True, _) => condition(report).to_owned(),
        _ => String::new(),
    };
    format!("VERDICT: {}{reason}\n", report.verdict.as_str())
}

/// Under which condition a proof holds, if uses of memory are not proved to be right.
pub fn condition(report: &Report) -> &'static str {
    let assumes = |kind| report.assumptions.iter().any(|assumption| assumption.kind == kind);
    match (assumes(AssumptionKind::AccessesInside), assumes(AssumptionKind::DanglingNotCompared)) {
        (true, true) => " if no access is out of bounds and no dangling pointer is compared",
        (true, false) => " if no access is out of bounds",
        (false, true) => " if no dangling pointer is compared",
        (false, false) => "",
    }
}

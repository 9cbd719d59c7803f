//! What is asked of the pipeline.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use gnomon_cfront::load::Input;
use gnomon_cfront::preprocess::PreprocessOptions;
use gnomon_ir::property::{Property, Specification};

use crate::decide::Options;
use crate::earlier::Earlier;

/// A program, what must not happen in it, and what is wanted beside the verdict.
///
/// ```
/// use std::time::Duration;
/// use gnomon_verify::{Property, Request};
///
/// let request = Request::of_files(["main.c", "list.c"])
///     .property(Property::Label("ERROR".into()))
///     .time(Duration::from_secs(60));
/// assert_eq!(request.inputs.len(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    /// The program: C files or text, or one model.
    pub inputs: Vec<Input>,
    /// How C is preprocessed and parsed.
    pub preprocess: PreprocessOptions,
    /// Functions without a body.
    pub outside: Outside,
    /// Where runs begin, and what must not happen.
    pub specification: Specification,
    /// The texts of property automata that are files, by their names; those that are not here are read.
    pub spec_texts: BTreeMap<String, String>,
    /// Of what must not happen, that which nobody named: it is no violation in programs that state their
    /// property themselves, by a call of SV-COMP's error function.
    pub by_default: Vec<Property>,
    /// Whether error sites are decided together.
    pub sites: Sites,
    /// How sites of property automata are checked.
    pub groups: Groups,
    /// Programs with threads.
    pub threads: Threads,
    /// The engines; their entry and property are those of the specification.
    pub engine: Options,
    /// Limits.
    pub limits: Limits,
    /// What the independent checker of proofs must say.
    pub certify: Certify,
    /// What is wanted beside the verdict.
    pub wanted: Wanted,
    /// The certificate of a proof about something like this, of which predicates are proposed.
    pub earlier: Option<Earlier>,
}

/// Functions without a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// A directory with models that come before the built-in ones.
    pub models: Option<PathBuf>,
    /// What functions do of which nothing is known.
    pub unknown: UnknownFunctions,
}

/// What functions without a body and without a model are taken to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownFunctions {
    /// Unsound: to return any value, and nothing else.
    Pure,
    /// Also to write what their arguments reach, and what such functions were given before.
    #[default]
    Args,
    /// Also to write all memory that is not private, and to call back.
    Anything,
}

/// Whether error sites are decided together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sites {
    /// One verdict for all.
    #[default]
    Together,
    /// One verdict for each.
    Each,
}

/// How sites of property automata are checked: in groups by function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The processor time of each group, about.
    pub time: Duration,
    /// How many at once; `None` for as many as there are processors.
    pub jobs: Option<usize>,
    /// The stack of each thread, in bytes.
    pub stack: usize,
}

/// How programs with threads are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// Whether the program has threads even if it seems to make none.
    pub forced: bool,
    /// Every thread has at most so many contexts.
    pub contexts: usize,
    /// Whether schedules are not executed first.
    pub only_contexts: bool,
    /// Calls in loops make at most so many threads each.
    pub threads_per_call: usize,
}

/// Limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Processor time from when the program is read.
    pub time: Duration,
    /// Memory in MiB; a quarter of it is for solvers that work in other processes.
    pub memory: u64,
}

/// What the independent checker of proofs must say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certify {
    /// It is not asked.
    Never,
    /// It must accept every proof that leaves a certificate.
    #[default]
    WherePossible,
    /// Every proof must leave one.
    Always,
}

/// What is wanted beside the verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The certificate of a proof.
    pub certificate: bool,
    /// The error projection.
    pub projection: bool,
    /// What a page shows: the error projection with executed paths, the reachability tree.
    pub page: bool,
    /// A C file that makes the compiled program fail.
    pub harness: bool,
    /// To see the compiled program fail: this executes it.
    pub execution: bool,
}

impl Request {
    /// The program in some inputs, with defaults for everything else.
    pub fn of(inputs: Vec<Input>) -> Self {
        Self {
            inputs,
            preprocess: PreprocessOptions::default(),
            outside: Outside::default(),
            specification: Specification::default(),
            spec_texts: BTreeMap::new(),
            by_default: Vec::new(),
            sites: Sites::default(),
            groups: Groups { time: Duration::from_secs(60), jobs: None, stack: 256 << 20 },
            threads: Threads {
                forced: false,
                contexts: 8,
                only_contexts: false,
                threads_per_call: 8,
            },
            engine: Options::default(),
            limits: Limits { time: Duration::from_secs(300), memory: 4000 },
            certify: Certify::default(),
            wanted: Wanted::default(),
            earlier: None,
        }
    }

    /// The program in some files.
    pub fn of_files<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self::of(files.into_iter().map(|file| Input::File(file.into())).collect())
    }

    /// The program in a text, which is preprocessed like a C file.
    pub fn of_text(text: &str) -> Self {
        Self::of(vec![Input::text("text.c", text)])
    }

    /// This must not happen either.
    #[must_use]
    pub fn property(mut self, property: Property) -> Self {
        self.specification.add(property);
        self
    }

    /// This property automaton is not violated; calls of error functions are no errors then, unless
    /// another request asks for them.
    #[must_use]
    pub fn spec(mut self, name: &str) -> Self {
        self.specification.properties.retain(|property| !matches!(property, Property::Call(_)));
        self.property(Property::Spec(name.to_owned()))
    }

    /// This is asked, and nothing else.
    #[must_use]
    pub fn specification(self, specification: Specification) -> Self {
        Self { specification, ..self }
    }

    /// Runs begin in this function.
    #[must_use]
    pub fn entry(mut self, entry: &str) -> Self {
        self.specification.entry = entry.to_owned();
        self
    }

    /// So much processor time at most.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.limits.time = time;
        self
    }

    /// With other limits.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// This is wanted beside the verdict.
    #[must_use]
    pub fn wanted(self, wanted: Wanted) -> Self {
        Self { wanted, ..self }
    }

    /// Every error site has a verdict of its own.
    #[must_use]
    pub fn each(self) -> Self {
        Self { sites: Sites::Each, ..self }
    }
}

//! What must not be reached.
//!
//! Every property is a set of edges that no run may take: calls of functions that report errors,
//! the edges behind a label, the edges of a line. So engines, interpreter and reports agree on what
//! an error is.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Callee, Edge, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind};
use gnomon_ir::interp::{Outcome, Run, UbKind};
use gnomon_ir::library::ERROR_FUNCTIONS;
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_ir::property::CheckKind;

/// What must not be reached, as users say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Functions that must not be called, with a body or without.
    pub functions: Vec<String>,
    /// Labels that must not be reached.
    pub labels: Vec<String>,
    /// Lines that must not be reached: the end of the file's name, and the number.
    pub lines: Vec<(String, u32)>,
    /// Edges that must not be taken, with what happens there: checks that were inserted.
    pub edges: Vec<(Site, String)>,
    /// What an execution must not do, wherever that is.
    pub faults: Faults,
}

/// Errors that only an execution shows: no edge is forbidden for them. Proofs do not speak of them;
/// that they are absent is proved with checks ([`Property::edges`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Undefined behaviour that ends the run.
    pub undefined: Vec<UbKind>,
    /// Objects from the heap that nothing leads to at the end.
    pub lost: bool,
    /// Objects from the heap at the end.
    pub living: bool,
}

/// Something that an execution did and must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of error it is.
    pub kind: CheckKind,
    /// Where, if that is not the end.
    pub site: Option<Site>,
    /// For people.
    pub message: &'static str,
}

impl Faults {
    /// What is wrong at the end of a run, if something is.
    pub fn of(&self, run: &Run) -> Option<Fault> {
        let at_end = |kind: CheckKind| Fault { kind, site: None, message: kind.message() };
        match &run.outcome {
            Outcome::Undefined(found) if self.undefined.contains(&found.kind) => {
                let site = found.site.map(|site| Site { func: site.func, edge: site.edge });
                let kind = match found.kind {
                    UbKind::DoubleFree | UbKind::InvalidFree => CheckKind::Free,
                    UbKind::DivisionByZero => CheckKind::Division,
                    _ => CheckKind::Access,
                };
                Some(Fault { kind, site, message: found.kind.message() })
            }
            Outcome::Exit(_) if self.lost && run.left.lost > 0 => Some(at_end(CheckKind::Leak)),
            Outcome::Exit(_) if self.living && run.left.living > 0 => {
                Some(at_end(CheckKind::Cleanup))
            }
            _ => None,
        }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for Property {
    /// No error function is called.
    fn default() -> Self {
        Self { functions: ERROR_FUNCTIONS.map(str::to_owned).to_vec(), ..Self::nothing() }
    }
}

impl Property {
    /// Nothing is forbidden.
    pub fn nothing() -> Self {
        Self {
            functions: Vec::new(),
            labels: Vec::new(),
            lines: Vec::new(),
            edges: Vec::new(),
            faults: Faults::default(),
        }
    }
}

/// Why a property says nothing about a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchSite {
    /// No function has such a label.
    #[error("there is no label `{0}` in the program")]
    Label(String),
    /// No statement stands on that line.
    #[error("no statement stands on line {1} of {0}")]
    Line(String, u32),
}

/// An edge that must not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The function.
    pub func: FuncId,
    /// The edge.
    pub edge: EdgeId,
}

/// The edges that must not be taken, with what they are for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorSites {
    sites: BTreeMap<Site, String>,
    /// Functions that must not be called.
    functions: BTreeSet<FuncId>,
    /// Whether the program calls functions through pointers.
    calls_through_pointers: bool,
    /// Whether the address of one of them is taken: others may call it.
    has_address: bool,
    /// Whether there are no other sites than calls of these functions.
    only_calls: bool,
    /// What an execution must not do anywhere.
    faults: Faults,
}

impl ErrorSites {
    /// The edges of a program that a property forbids.
    pub fn of(program: &Program, property: &Property) -> Result<Self, NoSuchSite> {
        let mut sites = BTreeMap::new();
        for label in &property.labels {
            let before = sites.len();
            for_each_body(program, |func, body| {
                for found in body.labels().iter().filter(|l| l.name == *label) {
                    for &edge in body.out_edges(found.loc) {
                        sites.insert(Site { func, edge }, format!("label {label} is reached"));
                    }
                }
            });
            if sites.len() == before {
                return Err(NoSuchSite::Label(label.clone()));
            }
        }
        for (file, line) in &property.lines {
            let before = sites.len();
            for_each_edge(program, |func, id, edge| {
                let span = edge.span;
                if !span.is_none()
                    && span.line == *line
                    && is_path_end(program.files.name(span.file), file)
                {
                    let text = format!("line {line} of {file} is reached");
                    sites.insert(Site { func, edge: id }, text);
                }
            });
            if sites.len() == before {
                return Err(NoSuchSite::Line(file.clone(), *line));
            }
        }
        sites.extend(property.edges.iter().cloned());
        let is_forbidden = |name: &str| property.functions.iter().any(|f| f == source_name(name));
        let functions: BTreeSet<FuncId> = program
            .funcs
            .iter_ids()
            .filter(|(_, function)| is_forbidden(&function.name))
            .map(|(id, _)| id)
            .collect();
        let mut calls_through_pointers = false;
        for_each_edge(program, |func, id, edge| {
            let Op::Call(call) = &edge.op else { return };
            match call.callee {
                Callee::Direct(callee) if functions.contains(&callee) => {
                    let name = source_name(&program.funcs[callee].name);
                    sites.insert(Site { func, edge: id }, format!("{name} is called"));
                }
                Callee::Direct(_) => {}
                Callee::Indirect(_) => calls_through_pointers = true,
            }
        });
        let exprs = (0..program.exprs.expr_count()).map(|i| ExprId(i as u32));
        let mut kinds = exprs.map(|e| program.exprs.expr(e).kind);
        let has_address = !functions.is_empty()
            && kinds.any(|kind| matches!(kind, ExprKind::FuncAddr(f) if functions.contains(&f)));
        let Property { labels, lines, edges, .. } = property;
        let only_calls = labels.is_empty() && lines.is_empty() && edges.is_empty();
        let faults = property.faults.clone();
        Ok(Self { sites, functions, calls_through_pointers, has_address, only_calls, faults })
    }

    /// Whether the edge is one of them.
    pub fn contains(&self, func: FuncId, edge: EdgeId) -> bool {
        self.sites.contains_key(&Site { func, edge })
    }

    /// Whether the function must not be called, in whatever way.
    pub fn forbids(&self, func: FuncId) -> bool {
        self.functions.contains(&func)
    }

    /// Every site for itself, with what happens there; and calls of forbidden functions through
    /// pointers, if there can be some.
    pub fn each(&self) -> Vec<(Option<Site>, String, Self)> {
        let alone = |(site, what): (&Site, &String)| {
            let sites = BTreeMap::from([(*site, what.clone())]);
            (Some(*site), what.clone(), Self { sites, ..Self::default() })
        };
        let mut each: Vec<_> = self.sites.iter().map(alone).collect();
        if self.calls_through_pointers && !self.functions.is_empty() {
            let what = "an error function is called through a pointer".to_owned();
            each.push((None, what, Self { sites: BTreeMap::new(), ..self.clone() }));
        }
        each
    }

    /// The sites of every function that has some.
    pub fn by_function(&self) -> Vec<(FuncId, Self)> {
        let mut groups: BTreeMap<FuncId, Self> = BTreeMap::new();
        for (site, what) in &self.sites {
            groups.entry(site.func).or_default().sites.insert(*site, what.clone());
        }
        groups.into_iter().collect()
    }

    /// All but one.
    pub fn without(&self, site: Site) -> Self {
        let mut others = self.clone();
        others.sites.remove(&site);
        others
    }

    /// The functions that must not be called.
    pub fn functions(&self) -> impl Iterator<Item = FuncId> {
        self.functions.iter().copied()
    }

    /// Whether every site is a call of a function that must not be called.
    pub fn are_calls(&self) -> bool {
        self.only_calls
    }

    /// What an execution must not do anywhere.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// What happens at a site, for people.
    pub fn describe(&self, site: Site) -> &str {
        self.sites.get(&site).map_or("an error is reached", String::as_str)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Site, &str)> {
        self.sites.iter().map(|(site, text)| (*site, text.as_str()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether there is none, and no forbidden function that somebody could call by its address.
    pub fn is_empty(&self) -> bool {
        let by_address = self.calls_through_pointers || self.has_address;
        self.sites.is_empty() && (self.functions.is_empty() || !by_address)
    }
}

fn for_each_body(program: &Program, mut visit: impl FnMut(FuncId, &gnomon_ir::cfa::Cfa)) {
    for (func, function) in program.funcs.iter_ids() {
        if let Some(body) = &function.body {
            visit(func, body);
        }
    }
}

fn for_each_edge(program: &Program, mut visit: impl FnMut(FuncId, EdgeId, &Edge)) {
    for_each_body(program, |func, body| {
        for (id, edge) in body.edges().iter_ids() {
            visit(func, id, edge);
        }
    });
}

/// Whether `end` names the file: all of its path, or the last parts of it.
fn is_path_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

//! Calling contexts: which stacks of calls a question is about (LAL 2.4, stack-qualified queries).

use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_wpds::{ConfigSet, Label, State, Symbol, WpdsError};

use crate::points::Point;
use crate::supergraph::{CONTROL, Supergraph};

/// An open call: a call in this function, perhaps on this line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The caller's name.
    pub function: String,
    /// The line of the call.
    pub line: Option<u32>,
}

/// Open calls, the innermost first; what is below the last one is open too, unless it is the entry
/// function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The open calls, the innermost first.
    pub frames: Vec<Frame>,
}

/// Why a context could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoContext {
    /// The text is not of the form.
    #[error("`{0}` is no call: write FUNCTION or FUNCTION:LINE")]
    Form(String),
    /// There is no such call.
    #[error("{function} makes no call of a function of the program{}", line_text(*.line))]
    NoCall {
        /// The caller.
        function: String,
        /// The line.
        line: Option<u32>,
    },
}

fn line_text(line: Option<u32>) -> String {
    line.map_or(String::new(), |l| format!(" in line {l}"))
}

impl Context {
    /// `main:10,run:25` — calls from the outermost to the innermost one.
    pub fn parse(text: &str) -> Result<Self, NoContext> {
        let form = |part: &str| NoContext::Form(part.to_owned());
        let mut frames = Vec::new();
        for part in text.split(',').map(str::trim).rev() {
            let (function, line) = match part.split_once(':') {
                Some((function, line)) => {
                    (function, Some(line.parse::<u32>().map_err(|_| form(part))?))
                }
                None => (part, None),
            };
            if function.is_empty() {
                return Err(form(part));
            }
            frames.push(Frame { function: function.to_owned(), line });
        }
        Ok(Self { frames })
    }

    /// The return sites that each frame can be, the innermost first.
    pub fn return_sites(
        &self,
        program: &Program,
        graph: &Supergraph,
    ) -> Result<Vec<Vec<Symbol>>, NoContext> {
        self.frames
            .iter()
            .map(|frame| {
                let sites: Vec<Symbol> = (graph.calls().iter())
                    .filter(|c| !c.enters.is_empty() || !c.callbacks.is_empty())
                    .filter(|c| is_called(program, c.caller, &frame.function))
                    .filter(|c| {
                        let body = program.funcs[c.caller].body.as_ref();
                        let span = body.map(|b| b.edge(c.edge).span);
                        frame.line.is_none_or(|line| {
                            span.is_some_and(|s| (s.line..=s.end_line.max(s.line)).contains(&line))
                        })
                    })
                    .map(|c| c.returns)
                    .collect();
                if sites.is_empty() {
                    let function = frame.function.clone();
                    return Err(NoContext::NoCall { function, line: frame.line });
                }
                Ok(sites)
            })
            .collect()
    }

    /// Whether nothing can be below the last frame.
    fn is_whole(&self, program: &Program, graph: &Supergraph) -> bool {
        self.frames.last().is_some_and(|f| is_called(program, graph.entry(), &f.function))
    }
}

/// Whether a function is meant by a name, which may be the user's or the unique one.
pub fn is_called(program: &Program, func: FuncId, name: &str) -> bool {
    let unique = &program.funcs[func].name;
    unique == name || source_name(unique) == name
}

/// The configurations in which one of some points is on top, in a context (in any, if it has no
/// frames).
pub fn configurations(
    program: &Program,
    graph: &Supergraph,
    points: &[Point],
    context: &Context,
) -> Result<ConfigSet, ContextError> {
    let mut set = ConfigSet::new(1);
    let mut here = vec![set.add_state()];
    for symbol in points.iter().filter_map(|p| graph.symbol(p.func, p.loc)) {
        set.add(State::from(CONTROL), Label::Symbol(symbol), here[0], ())?;
    }
    for sites in context.return_sites(program, graph)? {
        let next = set.add_state();
        for site in sites {
            for &from in &here {
                set.add(from, Label::Symbol(site), next, ())?;
            }
        }
        here = vec![next];
    }
    for state in here {
        if context.frames.is_empty() || !context.is_whole(program, graph) {
            set.add(state, Label::Any, state, ())?;
        }
        set.set_final(state);
    }
    Ok(set)
}

/// Why configurations could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ContextError {
    /// The context is not one.
    #[error(transparent)]
    Context(#[from] NoContext),
    /// The pushdown system.
    #[error(transparent)]
    System(#[from] WpdsError),
}

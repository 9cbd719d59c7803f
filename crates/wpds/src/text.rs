//! A text form of pushdown systems and automata, for tests and for people.
//!
//! ```text
//! # a comment
//! kind weighted                  # or: extended
//! control p
//! symbol main exit error
//! rule <p, main> -> <p, exit> : 3
//! rule <p, exit> -> <p,> : 0
//! ```
//!
//! A push rule of an extended system ends with `merge NAME`. An automaton names its own states, the
//! final ones, and its transitions; `*` reads any symbol:
//!
//! ```text
//! state q
//! final q
//! p -main-> q : 0
//! q -*-> q : 0
//! ```
//!
//! How a weight is written is the domain's matter ([`WeightSyntax`]).

use std::fmt::Write as _;

use crate::automaton::{Automaton, Label};
use crate::domains::{Boolean, ExplicitRelations, MinPath, Relation};
use crate::error::WpdsError;
use crate::ids::{Control, Names, State, Symbol};
use crate::semiring::Semiring;
use crate::system::{Kind, Merge, Rhs, Wpds};

/// How the weights of a domain are written.
pub trait WeightSyntax: Semiring {
    /// Reads a weight; the error says what is wrong with it.
    fn parse_weight(&self, text: &str) -> Result<Self::Weight, String>;

    /// Writes a weight so that it can be read back.
    fn show_weight(&self, weight: &Self::Weight) -> String;
}

/// `true` or `false`.
impl WeightSyntax for Boolean {
    fn parse_weight(&self, text: &str) -> Result<bool, String> {
        text.parse().map_err(|_| format!("`{text}` is not true or false"))
    }

    fn show_weight(&self, weight: &bool) -> String {
        weight.to_string()
    }
}

/// A number or `inf`.
impl WeightSyntax for MinPath {
    fn parse_weight(&self, text: &str) -> Result<Option<u64>, String> {
        if text == "inf" {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| format!("`{text}` is not a number or inf"))
    }

    fn show_weight(&self, weight: &Option<u64>) -> String {
        weight.map_or("inf".to_owned(), |length| length.to_string())
    }
}

/// `id`, or pairs such as `0>1 2>2`; nothing is the empty relation.
impl WeightSyntax for ExplicitRelations {
    fn parse_weight(&self, text: &str) -> Result<Relation, String> {
        if text == "id" {
            return Ok(self.one());
        }
        let mut pairs = Vec::new();
        for word in text.split_whitespace() {
            let parsed =
                word.split_once('>').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            let (a, b): (u32, u32) = parsed.ok_or_else(|| format!("`{word}` is not a pair a>b"))?;
            if a >= self.size() || b >= self.size() {
                return Err(format!("`{word}` is outside the {} values", self.size()));
            }
            pairs.push((a, b));
        }
        Ok(self.relation(pairs))
    }

    fn show_weight(&self, weight: &Relation) -> String {
        if *weight == self.one() {
            return "id".to_owned();
        }
        let pairs: Vec<String> =
            weight.pairs().into_iter().map(|(a, b)| format!("{a}>{b}")).collect();
        pairs.join(" ")
    }
}

/// The lines that say something, numbered from 1, without comments.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(i, line)| {
        let line = line.split('#').next().unwrap_or("").trim();
        (!line.is_empty()).then_some((i + 1, line))
    })
}

fn syntax(line: usize, problem: impl Into<String>) -> WpdsError {
    WpdsError::Syntax { line, problem: problem.into() }
}

/// Reads a pushdown system. `merge` gives the merge functions by name.
pub fn read_system<S: WeightSyntax>(
    text: &str,
    domain: S,
    merge: &dyn Fn(&str) -> Option<Merge<S>>,
) -> Result<Wpds<S>, WpdsError> {
    let kind = match lines(text).find_map(|(_, line)| line.strip_prefix("kind ")) {
        Some(word) if word.trim() == "extended" => Kind::Extended,
        _ => Kind::Weighted,
    };
    let mut system = Wpds::new(domain, kind);
    for (number, line) in lines(text) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "kind" if matches!(rest.trim(), "weighted" | "extended") => {}
            "kind" => return Err(syntax(number, "a kind is `weighted` or `extended`")),
            "control" | "symbol" => {
                for name in rest.split_whitespace() {
                    let known = if word == "control" {
                        system.control(name).is_some()
                    } else {
                        system.symbol(name).is_some()
                    };
                    match (known, word) {
                        (true, _) => {
                            return Err(syntax(number, format!("`{name}` is there twice")));
                        }
                        (false, "control") => _ = system.add_control(name),
                        (false, _) => _ = system.add_symbol(name),
                    }
                }
            }
            "rule" => read_rule(&mut system, number, rest, merge)?,
            _ => return Err(syntax(number, format!("`{word}` begins no line of a system"))),
        }
    }
    Ok(system)
}

/// `<p, a b>` as a control location and symbols.
fn read_head(number: usize, text: &str) -> Result<(&str, Vec<&str>), WpdsError> {
    let inner = text.trim().strip_prefix('<').and_then(|t| t.strip_suffix('>'));
    let parts = inner.and_then(|inner| inner.split_once(','));
    let (control, symbols) = parts
        .ok_or_else(|| syntax(number, format!("`{}` is not <control, symbols>", text.trim())))?;
    Ok((control.trim(), symbols.split_whitespace().collect()))
}

fn read_rule<S: WeightSyntax>(
    system: &mut Wpds<S>,
    number: usize,
    text: &str,
    merge: &dyn Fn(&str) -> Option<Merge<S>>,
) -> Result<(), WpdsError> {
    let form = || syntax(number, "a rule is `<p, a> -> <q, b c> : weight [merge NAME]`");
    let (sides, weight) = text.split_once(':').ok_or_else(form)?;
    let (left, right) = sides.split_once("->").ok_or_else(form)?;
    let (from, top) = read_head(number, left)?;
    let (to, written) = read_head(number, right)?;
    let [top] = top[..] else { return Err(form()) };
    let rule = sides.trim();
    let control = |name: &str| {
        system.control(name).ok_or_else(|| WpdsError::UnknownControl {
            rule: rule.to_owned(),
            control: name.to_owned(),
        })
    };
    let symbol = |name: &str| {
        system.symbol(name).ok_or_else(|| WpdsError::UnknownSymbol {
            rule: rule.to_owned(),
            symbol: name.to_owned(),
        })
    };
    let head = (control(from)?, symbol(top)?);
    let to = control(to)?;
    let written: Vec<Symbol> = written.into_iter().map(symbol).collect::<Result<_, _>>()?;
    let (weight, merge_name) = match weight.split_once("merge ") {
        Some((weight, name)) => (weight, Some(name.trim())),
        None => (weight, None),
    };
    let weight = system
        .domain()
        .parse_weight(weight.trim())
        .map_err(|problem| syntax(number, format!("rule {rule}: {problem}")))?;
    let merge = match merge_name {
        None => None,
        Some(name) => Some(merge(name).ok_or_else(|| {
            syntax(number, format!("rule {rule}: no merge function is called `{name}`"))
        })?),
    };
    system.add_rule(head, (to, &written), weight, merge)?;
    Ok(())
}

/// Writes a pushdown system; unnamed symbols get names from their numbers.
pub fn write_system<S: WeightSyntax>(system: &Wpds<S>) -> String {
    let mut text = String::new();
    let kind = if system.kind() == Kind::Extended { "extended" } else { "weighted" };
    _ = writeln!(text, "kind {kind}");
    let names = |prefix: &'static str, names: &Names, count: u32| {
        (0..count).map(|i| format!(" {}", names.show(prefix, i))).collect::<String>()
    };
    _ = writeln!(text, "control{}", names("p", system.control_names(), system.control_count()));
    _ = writeln!(text, "symbol{}", names("s", system.symbol_names(), system.symbol_count()));
    for (_, rule) in system.rules() {
        let weight = system.domain().show_weight(&rule.weight);
        _ = write!(text, "rule {} : {weight}", system.show(rule));
        if let (Some(merge), Rhs::Push(..)) = (&rule.merge, rule.rhs) {
            _ = write!(text, " merge {}", merge.name());
        }
        text.push('\n');
    }
    text
}

/// Reads an automaton for a system.
pub fn read_automaton<S: WeightSyntax>(
    text: &str,
    system: &Wpds<S>,
) -> Result<Automaton<S::Weight>, WpdsError> {
    let mut automaton = Automaton::new(system.control_count());
    let mut states = Names::default();
    for (number, line) in lines(text) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "state" {
            for name in rest.split_whitespace() {
                let state = automaton.add_state();
                states.set(state.0, name);
            }
            continue;
        }
        let state = |name: &str| {
            let control = system.control(name).map(State::from);
            let found = control.or_else(|| states.find(name).map(State));
            found.ok_or_else(|| syntax(number, format!("there is no state `{name}`")))
        };
        if word == "final" {
            for name in rest.split_whitespace() {
                automaton.set_final(state(name)?);
            }
            continue;
        }
        let form = || syntax(number, "a transition is `state -symbol-> state : weight`");
        let (arrow, weight) = line.split_once(':').ok_or_else(form)?;
        let (from, rest) = arrow.split_once(" -").ok_or_else(form)?;
        let (label, to) = rest.split_once("->").ok_or_else(form)?;
        let label = match label.trim() {
            "*" => Label::Any,
            name => Label::Symbol(
                system
                    .symbol(name)
                    .ok_or_else(|| syntax(number, format!("there is no stack symbol `{name}`")))?,
            ),
        };
        let weight = system
            .domain()
            .parse_weight(weight.trim())
            .map_err(|problem| syntax(number, problem))?;
        automaton.add(state(from.trim())?, label, state(to.trim())?, weight)?;
    }
    Ok(automaton)
}

/// Writes an automaton for a system; states other than control locations are called `q` and their
/// number. Empty-word transitions of results are written with the label `eps` and cannot be read back.
pub fn write_automaton<S: WeightSyntax>(
    automaton: &Automaton<S::Weight>,
    system: &Wpds<S>,
) -> String {
    let controls = system.control_count();
    let name = |state: State| {
        if state.0 < controls {
            system.control_names().show("p", Control(state.0).0).to_string()
        } else {
            format!("q{}", state.0)
        }
    };
    let mut text = String::new();
    let states = (controls as usize..automaton.state_count()).map(State::of);
    _ = writeln!(text, "state{}", states.map(|q| format!(" {}", name(q))).collect::<String>());
    let finals = (0..automaton.state_count()).map(State::of).filter(|&q| automaton.is_final(q));
    _ = writeln!(text, "final{}", finals.map(|q| format!(" {}", name(q))).collect::<String>());
    for t in automaton.transitions() {
        let label = match t.label {
            Label::Epsilon => "eps".to_owned(),
            Label::Any => "*".to_owned(),
            Label::Symbol(symbol) => system.symbol_names().show("s", symbol.0).to_string(),
        };
        let weight = system.domain().show_weight(&t.weight);
        _ = writeln!(text, "{} -{label}-> {} : {weight}", name(t.from), name(t.to));
    }
    text
}

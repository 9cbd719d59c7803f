//! JSON instances: a pushdown system, its weights and any number of automata in one document, for
//! exchange with other programs. The [text form](crate::text) is for people; both say the same.
//!
//! ```json
//! {
//!   "domain": "min-path",
//!   "kind": "weighted",
//!   "controls": ["p"],
//!   "symbols": ["main", "f", "back"],
//!   "rules": [
//!     { "from": ["p", "main"], "to": ["p", "f", "back"], "weight": 1 },
//!     { "from": ["p", "f"], "to": ["p"], "weight": 2 }
//!   ],
//!   "automata": {
//!     "start": {
//!       "states": ["q"],
//!       "final": ["q"],
//!       "transitions": [{ "from": "p", "read": "main", "to": "q", "weight": 0 }]
//!     }
//!   }
//! }
//! ```
//!
//! | field | meaning |
//! |---|---|
//! | `domain` | optional; if it is there, it must be the [name](WeightJson::domain_name) of the domain that the reader was given |
//! | `kind` | `weighted` (the default) or `extended` |
//! | `controls`, `symbols` | the names, in the order of their numbers |
//! | `rules[].from` | a control location and the symbol on top |
//! | `rules[].to` | a control location and no, one or two symbols, the top first |
//! | `rules[].weight` | as the domain writes it: `true`, a number or `"inf"`, `"id"` or a list of pairs |
//! | `rules[].merge` | the name of the merge function, on push rules of an extended system |
//! | `automata.NAME.states` | the names of the states that are not control locations |
//! | `automata.NAME.final` | the states that accept, control locations included |
//! | `automata.NAME.transitions[].read` | a symbol, or `*` for any |
//!
//! Fields that are not in the table are errors, and errors name the rule or the transition.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::automaton::{Automaton, Label};
use crate::domains::{Boolean, ExplicitRelations, MinPath, Relation};
use crate::error::WpdsError;
use crate::ids::{Names, State, Symbol};
use crate::semiring::Semiring;
use crate::system::{Kind, Merge, Rhs, Wpds};

/// How the weights of a domain are written in JSON.
pub trait WeightJson: Semiring {
    /// What the domain is called in a document.
    fn domain_name(&self) -> String;

    /// Reads a weight; the error says what is wrong with it.
    fn weight_from_json(&self, value: &Value) -> Result<Self::Weight, String>;

    /// Writes a weight so that it can be read back.
    fn weight_to_json(&self, weight: &Self::Weight) -> Value;
}

/// `boolean`: true or false.
impl WeightJson for Boolean {
    fn domain_name(&self) -> String {
        "boolean".to_owned()
    }

    fn weight_from_json(&self, value: &Value) -> Result<bool, String> {
        value.as_bool().ok_or_else(|| format!("{value} is not true or false"))
    }

    fn weight_to_json(&self, weight: &bool) -> Value {
        json!(weight)
    }
}

/// `min-path`: a number or `"inf"`.
impl WeightJson for MinPath {
    fn domain_name(&self) -> String {
        "min-path".to_owned()
    }

    fn weight_from_json(&self, value: &Value) -> Result<Option<u64>, String> {
        match value {
            Value::String(word) if word == "inf" => Ok(None),
            _ => value
                .as_u64()
                .map(Some)
                .ok_or_else(|| format!("{value} is not a number or \"inf\"")),
        }
    }

    fn weight_to_json(&self, weight: &Option<u64>) -> Value {
        weight.map_or_else(|| json!("inf"), |length| json!(length))
    }
}

/// `relations on N values`: `"id"`, or a list of pairs such as `[[0, 1], [2, 2]]`.
impl WeightJson for ExplicitRelations {
    fn domain_name(&self) -> String {
        format!("relations on {} values", self.size())
    }

    fn weight_from_json(&self, value: &Value) -> Result<Relation, String> {
        if value.as_str() == Some("id") {
            return Ok(self.one());
        }
        let pairs: Vec<(u32, u32)> = serde_json::from_value(value.clone())
            .map_err(|_| format!("{value} is not \"id\" or a list of pairs [a, b]"))?;
        match pairs.iter().find(|&&(a, b)| a >= self.size() || b >= self.size()) {
            Some((a, b)) => Err(format!("[{a}, {b}] is outside the {} values", self.size())),
            None => Ok(self.relation(pairs)),
        }
    }

    fn weight_to_json(&self, weight: &Relation) -> Value {
        if *weight == self.one() { json!("id") } else { json!(weight.pairs()) }
    }
}

/// A system with the automata that came with it, by name.
#[derive(Clone, Debug)]
pub struct Instance<S: Semiring> {
    /// The pushdown system.
    pub system: Wpds<S>,
    /// The automata.
    pub automata: BTreeMap<String, Automaton<S::Weight>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InstanceDocument {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    #[serde(default)]
    kind: KindDocument,
    controls: Vec<String>,
    symbols: Vec<String>,
    rules: Vec<RuleDocument>,
    #[serde(default)]
    automata: BTreeMap<String, AutomatonDocument>,
}

#[derive(Serialize, Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
enum KindDocument {
    #[default]
    Weighted,
    Extended,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleDocument {
    from: (String, String),
    to: Vec<String>,
    weight: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    merge: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AutomatonDocument {
    #[serde(default)]
    states: Vec<String>,
    #[serde(default, rename = "final")]
    finals: Vec<String>,
    transitions: Vec<TransitionDocument>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TransitionDocument {
    from: String,
    read: String,
    to: String,
    weight: Value,
}

fn bad(place: impl Into<String>, problem: impl Into<String>) -> WpdsError {
    WpdsError::Json { place: place.into(), problem: problem.into() }
}

/// Reads an instance. `merge` gives the merge functions by name.
///
/// ```
/// use gnomon_wpds::domains::MinPath;
/// use gnomon_wpds::json::{read_instance, write_instance};
///
/// # fn main() -> Result<(), gnomon_wpds::WpdsError> {
/// let text = r#"{ "controls": ["p"], "symbols": ["a"],
///                 "rules": [{ "from": ["p", "a"], "to": ["p"], "weight": 7 }] }"#;
/// let instance = read_instance(text, MinPath, &|_| None)?;
/// let again = read_instance(&write_instance(&instance), MinPath, &|_| None)?;
/// assert_eq!(again.system.rules().count(), 1);
/// # Ok(())
/// # }
/// ```
pub fn read_instance<S: WeightJson>(
    text: &str,
    domain: S,
    merge: &dyn Fn(&str) -> Option<Merge<S>>,
) -> Result<Instance<S>, WpdsError> {
    let document: InstanceDocument =
        serde_json::from_str(text).map_err(|error| bad("the document", error.to_string()))?;
    let name = domain.domain_name();
    if let Some(other) = document.domain.filter(|other| *other != name) {
        return Err(bad("domain", format!("`{other}`, but weights of `{name}` are read")));
    }
    let kind = match document.kind {
        KindDocument::Weighted => Kind::Weighted,
        KindDocument::Extended => Kind::Extended,
    };
    let mut system = Wpds::new(domain, kind);
    for name in &document.controls {
        if system.control(name).is_some() {
            return Err(bad("controls", format!("`{name}` is there twice")));
        }
        system.add_control(name);
    }
    for name in &document.symbols {
        if system.symbol(name).is_some() {
            return Err(bad("symbols", format!("`{name}` is there twice")));
        }
        system.add_symbol(name);
    }
    for rule in &document.rules {
        read_rule(&mut system, rule, merge)?;
    }
    let mut automata = BTreeMap::new();
    for (name, automaton) in &document.automata {
        automata.insert(name.clone(), read_automaton(&system, name, automaton)?);
    }
    Ok(Instance { system, automata })
}

fn read_rule<S: WeightJson>(
    system: &mut Wpds<S>,
    rule: &RuleDocument,
    merge: &dyn Fn(&str) -> Option<Merge<S>>,
) -> Result<(), WpdsError> {
    let (from, top) = &rule.from;
    let shown = || {
        let (to, written) = rule.to.split_first().map_or(("", &[][..]), |(to, rest)| (to, rest));
        let symbols: String = written.iter().map(|symbol| format!(" {symbol}")).collect();
        format!("<{from}, {top}> -> <{to},{symbols}>")
    };
    let Some((to, written)) = rule.to.split_first() else {
        return Err(bad(format!("rule {}", shown()), "`to` has no control location"));
    };
    let control = |name: &String| {
        let unknown = || WpdsError::UnknownControl { rule: shown(), control: name.clone() };
        system.control(name).ok_or_else(unknown)
    };
    let symbol = |name: &String| {
        let unknown = || WpdsError::UnknownSymbol { rule: shown(), symbol: name.clone() };
        system.symbol(name).ok_or_else(unknown)
    };
    let head = (control(from)?, symbol(top)?);
    let to = control(to)?;
    let written: Vec<Symbol> = written.iter().map(symbol).collect::<Result<_, _>>()?;
    let at_rule = |problem| bad(format!("rule {}", shown()), problem);
    let weight = system.domain().weight_from_json(&rule.weight).map_err(at_rule)?;
    let merge = match &rule.merge {
        None => None,
        Some(name) => {
            let unknown = || at_rule(format!("no merge function is called `{name}`"));
            Some(merge(name).ok_or_else(unknown)?)
        }
    };
    system.add_rule(head, (to, &written), weight, merge)?;
    Ok(())
}

fn read_automaton<S: WeightJson>(
    system: &Wpds<S>,
    name: &str,
    document: &AutomatonDocument,
) -> Result<Automaton<S::Weight>, WpdsError> {
    let at = |place: String| format!("automaton `{name}`{place}");
    let mut automaton = Automaton::new(system.control_count());
    let mut states = Names::default();
    for state in &document.states {
        if states.find(state).is_some() || system.control(state).is_some() {
            return Err(bad(at(String::new()), format!("the state `{state}` is there twice")));
        }
        states.set(automaton.add_state().0, state);
    }
    let state = |name: &str, place: String| {
        let control = system.control(name).map(State::from);
        let found = control.or_else(|| states.find(name).map(State));
        found.ok_or_else(|| bad(at(place), format!("there is no state `{name}`")))
    };
    for accepting in &document.finals {
        automaton.set_final(state(accepting, String::new())?);
    }
    for t in &document.transitions {
        let place = || format!(", transition {} -{}-> {}", t.from, t.read, t.to);
        let label = match (t.read.as_str(), system.symbol(&t.read)) {
            ("*", _) => Label::Any,
            (_, Some(symbol)) => Label::Symbol(symbol),
            (name, None) => {
                return Err(bad(at(place()), format!("there is no stack symbol `{name}`")));
            }
        };
        let weight = system.domain().weight_from_json(&t.weight);
        let weight = weight.map_err(|problem| bad(at(place()), problem))?;
        automaton.add(state(&t.from, place())?, label, state(&t.to, place())?, weight)?;
    }
    Ok(automaton)
}

/// Writes an instance; what has no name is named after its number, states of automata `q` and their
/// number. Empty-word transitions of results are written as `eps` and cannot be read back.
pub fn write_instance<S: WeightJson>(instance: &Instance<S>) -> String {
    let system = &instance.system;
    let control = |i: u32| system.control_names().show("p", i).to_string();
    let symbol = |i: u32| system.symbol_names().show("s", i).to_string();
    let rules = system.rules().map(|(_, rule)| {
        let written = match rule.rhs {
            Rhs::Pop => vec![],
            Rhs::Step(top) => vec![top],
            Rhs::Push(top, below) => vec![top, below],
        };
        let to = std::iter::once(control(rule.to.0)).chain(written.iter().map(|s| symbol(s.0)));
        RuleDocument {
            from: (control(rule.from.0), symbol(rule.top.0)),
            to: to.collect(),
            weight: system.domain().weight_to_json(&rule.weight),
            merge: rule.merge.as_ref().map(|merge| merge.name().to_owned()),
        }
    });
    let state = |q: State| {
        if q.0 < system.control_count() { control(q.0) } else { format!("q{}", q.0) }
    };
    let automaton = |automaton: &Automaton<S::Weight>| {
        let all = || (0..automaton.state_count()).map(State::of);
        let transitions = automaton.transitions().iter().map(|t| TransitionDocument {
            from: state(t.from),
            read: match t.label {
                Label::Epsilon => "eps".to_owned(),
                Label::Any => "*".to_owned(),
                Label::Symbol(read) => symbol(read.0),
            },
            to: state(t.to),
            weight: system.domain().weight_to_json(&t.weight),
        });
        AutomatonDocument {
            states: all().skip(system.control_count() as usize).map(state).collect(),
            finals: all().filter(|&q| automaton.is_final(q)).map(state).collect(),
            transitions: transitions.collect(),
        }
    };
    let automata = instance.automata.iter().map(|(name, a)| (name.clone(), automaton(a)));
    let document = InstanceDocument {
        domain: Some(system.domain().domain_name()),
        kind: match system.kind() {
            Kind::Weighted => KindDocument::Weighted,
            Kind::Extended => KindDocument::Extended,
        },
        controls: (0..system.control_count()).map(control).collect(),
        symbols: (0..system.symbol_count()).map(symbol).collect(),
        rules: rules.collect(),
        automata: automata.collect(),
    };
    // Strings, numbers and lists only: there is nothing that could not be written.
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

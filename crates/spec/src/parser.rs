//! From the text of a spec to its tree, by recursive descent. Names are looked up on the way: what
//! comes out refers to states, ghosts and options by number, and to variables that are bound.

use crate::lex::{Placed, Token, tokens};
use crate::syntax::{
    Event, EventKind, From, FunctionPattern, Ghost, Guard, Handler, LvaluePattern, Operator,
    OptionValue, Pattern, Position, Rule, Spec, SpecError, SpecOption, To, names,
};

/// Reads a spec.
pub fn parse(text: &str) -> Result<Spec, SpecError> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0 };
    let spec = parser.spec()?;
    match parser.peek() {
        Token::End => Ok(spec),
        other => Err(parser.error(format!("{} stands behind the spec", other.shown()))),
    }
}

struct Parser {
    tokens: Vec<Placed>,
    next: usize,
}

/// Words that cannot be names of states.
const RESERVED: [&str; 5] = ["new", "same", "ignore", "error", "*"];

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn at(&self) -> Position {
        self.tokens[self.next].1
    }

    fn error(&self, message: impl Into<String>) -> SpecError {
        SpecError { at: self.at(), message: message.into() }
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.next].0.clone();
        // The last word stays.
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(s) if *s == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(name) if name == word)
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn unexpected(&self, wanted: &str) -> SpecError {
        self.error(format!("here should be {wanted}, not {}", self.peek().shown()))
    }

    fn expect(&mut self, symbol: &str) -> Result<(), SpecError> {
        if self.accept(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn name(&mut self, what: &str) -> Result<String, SpecError> {
        match self.peek() {
            Token::Name(name) if !name.contains('*') => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn text(&mut self, what: &str) -> Result<String, SpecError> {
        let Token::Text(text) = self.peek().clone() else { return Err(self.unexpected(what)) };
        self.advance();
        Ok(text)
    }

    fn number(&mut self) -> Result<i64, SpecError> {
        let negative = self.accept("-");
        let Token::Number(number) = *self.peek() else {
            return Err(self.unexpected("a number"));
        };
        self.advance();
        Ok(if negative { -number } else { number })
    }

    fn spec(&mut self) -> Result<Spec, SpecError> {
        if !self.accept_word("spec") {
            return Err(self.unexpected("`spec`"));
        }
        let mut name = self.name("the name of the spec")?;
        while self.accept("-") {
            name = format!("{name}-{}", self.name("the rest of the name")?);
        }
        let mut spec = Spec {
            name,
            summary: self.text("what the spec demands, as a text")?,
            options: Vec::new(),
            ghosts: Vec::new(),
            tracked: None,
            states: Vec::new(),
            handlers: Vec::new(),
        };
        self.expect("{")?;
        while !self.accept("}") {
            self.item(&mut spec)?;
        }
        if spec.states.is_empty() {
            return Err(self.error("the spec has no states"));
        }
        Ok(spec)
    }

    fn item(&mut self, spec: &mut Spec) -> Result<(), SpecError> {
        if self.accept_word("on") {
            let handler = self.handler(spec)?;
            spec.handlers.push(handler);
            return Ok(());
        }
        if !spec.handlers.is_empty() {
            return Err(self.unexpected("`on` or `}`: declarations stand before events"));
        }
        if self.accept_word("option") {
            let name = self.name("the name of an option")?;
            self.expect("=")?;
            let value = if self.accept_word("on") {
                OptionValue::Switch(true)
            } else if self.accept_word("off") {
                OptionValue::Switch(false)
            } else {
                OptionValue::Names(names(&self.text("`on`, `off` or a text")?))
            };
            spec.options.push(SpecOption { name, value });
        } else if self.accept_word("ghost") {
            let name = self.name("the name of a ghost")?;
            let initial = if self.accept("=") { self.number()? } else { 0 };
            spec.ghosts.push(Ghost { name, initial });
        } else if self.accept_word("track") {
            let Token::Variable(name) = self.peek().clone() else {
                return Err(self.unexpected("a variable such as `$x`"));
            };
            if spec.tracked.is_some() {
                return Err(self.error("a spec tracks one variable"));
            }
            self.advance();
            spec.tracked = Some(name);
        } else if self.accept_word("states") {
            loop {
                let at = self.at();
                let name = self.name("the name of a state")?;
                if spec.states.contains(&name) || RESERVED.contains(&name.as_str()) {
                    let message = format!("`{name}` is taken");
                    return Err(SpecError { at, message });
                }
                spec.states.push(name);
                if !self.accept(",") {
                    break;
                }
            }
        } else {
            return Err(self.unexpected("`option`, `ghost`, `track`, `states`, `on` or `}`"));
        }
        self.expect(";")
    }

    fn handler(&mut self, spec: &Spec) -> Result<Handler, SpecError> {
        let mut events = vec![self.event(spec)?];
        while self.accept("|") {
            events.push(self.event(spec)?);
        }
        self.expect("{")?;
        let mut rules = Vec::new();
        while !self.accept("}") {
            rules.push(self.rule(spec, &events)?);
        }
        Ok(Handler { events, rules })
    }

    fn event(&mut self, spec: &Spec) -> Result<Event, SpecError> {
        let at = self.at();
        let followed_by_parenthesis =
            matches!(self.tokens.get(self.next + 1), Some((Token::Symbol("("), _)));
        let word = match self.peek() {
            Token::Name(name) => name.clone(),
            _ => String::new(),
        };
        let kind = match word.as_str() {
            "end" if !followed_by_parenthesis => {
                self.advance();
                EventKind::End
            }
            "label" if !followed_by_parenthesis => {
                self.advance();
                EventKind::Label(self.glob("the name of a label")?)
            }
            "enter" if !followed_by_parenthesis => {
                self.advance();
                EventKind::Enter(self.function(spec)?)
            }
            "leave" if !followed_by_parenthesis => {
                self.advance();
                let result = self.result()?;
                EventKind::Leave(result, self.function(spec)?)
            }
            "assign" if !followed_by_parenthesis => {
                self.advance();
                let target = if self.accept(".") {
                    LvaluePattern::Member(self.glob("the name of a member")?)
                } else {
                    LvaluePattern::Variable(self.glob("the name of a variable")?)
                };
                self.expect("=")?;
                EventKind::Assign(target, self.pattern()?)
            }
            "deref" | "access" | "test" | "variable" => {
                self.advance();
                self.expect("(")?;
                let first = self.pattern()?;
                let kind = match word.as_str() {
                    "deref" => EventKind::Deref(first),
                    "access" => EventKind::Access(first),
                    "test" => EventKind::Test(first),
                    _ => {
                        let size = if self.accept(",") { self.pattern()? } else { Pattern::Any };
                        EventKind::Variable(first, size)
                    }
                };
                self.expect(")")?;
                kind
            }
            _ => match self.result()? {
                Some(result) => EventKind::Returned(result, self.function(spec)?),
                None => EventKind::Call(self.function(spec)?),
            },
        };
        Ok(Event { kind, at })
    }

    /// `$r =`, `_ =`, `0 =`, if that is there.
    fn result(&mut self) -> Result<Option<Pattern>, SpecError> {
        let is_there = match self.peek() {
            Token::Variable(_) | Token::Number(_) => true,
            Token::Symbol("-") => true,
            Token::Name(name) => name == "_" || name == "null",
            _ => false,
        };
        if !is_there {
            return Ok(None);
        }
        let result = self.pattern()?;
        self.expect("=")?;
        Ok(Some(result))
    }

    fn glob(&mut self, what: &str) -> Result<String, SpecError> {
        let Token::Name(name) = self.peek().clone() else { return Err(self.unexpected(what)) };
        self.advance();
        Ok(name)
    }

    fn function(&mut self, spec: &Spec) -> Result<FunctionPattern, SpecError> {
        let mut found = Vec::new();
        if self.accept("[") {
            while !self.accept("]") {
                found.push(self.glob("the name of a function, or `]`")?);
            }
        } else if let Token::Option(name) = self.peek().clone() {
            let option = spec.options.iter().find(|o| o.name == name);
            if !option.is_some_and(|o| matches!(o.value, OptionValue::Names(_))) {
                return Err(self.error(format!("there is no option `{name}` with names")));
            }
            self.advance();
            found.push(format!("@{name}"));
        } else {
            found.push(self.glob("the name of a function")?);
        }
        let (mut args, mut more) = (Vec::new(), false);
        self.expect("(")?;
        while !self.is_symbol(")") {
            if self.accept("...") {
                more = true;
                break;
            }
            args.push(self.pattern()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(FunctionPattern { names: found, args, more })
    }

    fn pattern(&mut self) -> Result<Pattern, SpecError> {
        if self.accept_word("_") {
            return Ok(Pattern::Any);
        }
        if self.accept_word("null") {
            return Ok(Pattern::Null);
        }
        match self.peek().clone() {
            Token::Variable(name) => {
                self.advance();
                Ok(Pattern::Bind(name))
            }
            Token::Number(_) | Token::Symbol("-") => Ok(Pattern::Number(self.number()?)),
            _ => Err(self.unexpected("`$x`, `_`, `null` or a number")),
        }
    }

    fn state(&mut self, spec: &Spec) -> Result<usize, SpecError> {
        let at = self.at();
        let name = self.name("the name of a state")?;
        let found = spec.states.iter().position(|state| *state == name);
        found.ok_or_else(|| SpecError { at, message: format!("there is no state `{name}`") })
    }

    fn rule(&mut self, spec: &Spec, events: &[Event]) -> Result<Rule, SpecError> {
        let at = self.at();
        let from = if self.accept_word("*") {
            From::Any
        } else if self.is_word("new") {
            let Some(tracked) = &spec.tracked else {
                return Err(self.error("`new` is for specs that track a variable"));
            };
            if let Some(event) = events.iter().find(|event| !event.kind.binds(tracked)) {
                let message = format!("`new` needs an event with `${tracked}` in it");
                return Err(SpecError { at: event.at, message });
            }
            self.advance();
            From::New
        } else {
            let mut states = vec![self.state(spec)?];
            while self.accept(",") {
                states.push(self.state(spec)?);
            }
            From::States(states)
        };
        self.expect("->")?;
        let to = if self.accept_word("error") {
            To::Error(self.text("the message, as a text")?)
        } else if self.accept_word("same") {
            To::Same
        } else if self.accept_word("ignore") {
            To::Ignore
        } else {
            To::State(self.state(spec)?)
        };
        if from == From::New && matches!(to, To::Error(_) | To::Same | To::Ignore) {
            return Err(SpecError { at, message: "`new` leads to a state".into() });
        }
        let scope = Scope { spec, events };
        let when = if self.accept_word("when") { Some(self.guard(&scope)?) } else { None };
        let mut actions = Vec::new();
        if self.accept_word("do") {
            loop {
                actions.push(self.action(&scope)?);
                if !self.accept(",") {
                    break;
                }
            }
        }
        self.expect(";")?;
        Ok(Rule { from, when, actions, to, at })
    }

    fn action(&mut self, scope: &Scope<'_>) -> Result<(usize, Guard), SpecError> {
        let at = self.at();
        let name = self.name("the name of a ghost")?;
        let ghost = scope.spec.ghosts.iter().position(|ghost| ghost.name == name);
        let message = || format!("there is no ghost `{name}`");
        let ghost = ghost.ok_or_else(|| SpecError { at, message: message() })?;
        self.expect("=")?;
        Ok((ghost, self.guard(scope)?))
    }

    fn guard(&mut self, scope: &Scope<'_>) -> Result<Guard, SpecError> {
        self.operators(scope, 0)
    }

    /// Operators of at least this level, from the left.
    fn operators(&mut self, scope: &Scope<'_>, level: usize) -> Result<Guard, SpecError> {
        let Some(operators) = LEVELS.get(level) else { return self.operand(scope) };
        let mut left = self.operators(scope, level + 1)?;
        // A star is a name elsewhere.
        while let Some((_, operator)) =
            operators.iter().find(|(s, _)| self.is_symbol(s) || *s == "*" && self.is_word(s))
        {
            self.advance();
            let right = self.operators(scope, level + 1)?;
            left = Guard::Binary(*operator, Box::new([left, right]));
        }
        Ok(left)
    }

    fn operand(&mut self, scope: &Scope<'_>) -> Result<Guard, SpecError> {
        let at = self.at();
        if self.accept("!") {
            return Ok(Guard::Not(Box::new(self.operand(scope)?)));
        }
        if self.accept("(") {
            let inner = self.guard(scope)?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.accept_word("null") {
            return Ok(Guard::Null);
        }
        if self.accept_word("global") {
            self.expect("(")?;
            let name = self.name("the name of a variable")?;
            self.expect(")")?;
            return Ok(Guard::Global(name));
        }
        if self.accept_word("literal") {
            self.expect("(")?;
            let inner = self.operand(scope)?;
            self.expect(")")?;
            return Ok(Guard::Literal(Box::new(inner)));
        }
        if self.accept_word("inside") {
            self.expect("(")?;
            let pointer = self.operators(scope, SUMS)?;
            self.expect(",")?;
            let start = self.operators(scope, SUMS)?;
            self.expect(",")?;
            let size = self.operators(scope, SUMS)?;
            self.expect(")")?;
            return Ok(Guard::Inside(Box::new([pointer, start, size])));
        }
        match self.peek().clone() {
            Token::Number(_) | Token::Symbol("-") => Ok(Guard::Number(self.number()?)),
            Token::Variable(name) => {
                self.advance();
                match scope.events.iter().find(|e| !scope.spec.knows(&e.kind, &name)) {
                    None => Ok(Guard::Variable(name, at)),
                    Some(event) => {
                        let message =
                            format!("`${name}` has no value at the event at {}", event.at);
                        Err(SpecError { at, message })
                    }
                }
            }
            Token::Name(name) => {
                let Spec { ghosts, options, .. } = scope.spec;
                let ghost = ghosts.iter().position(|ghost| ghost.name == name);
                let switch =
                    |o: &SpecOption| o.name == name && matches!(o.value, OptionValue::Switch(_));
                let found = match (ghost, options.iter().position(switch)) {
                    (Some(ghost), _) => Guard::Ghost(ghost),
                    (None, Some(option)) => Guard::Switch(option),
                    (None, None) => {
                        return Err(self.error(format!("there is no ghost or switch `{name}`")));
                    }
                };
                self.advance();
                Ok(found)
            }
            _ => Err(self.unexpected("a value")),
        }
    }
}

/// Where a rule stands.
struct Scope<'s> {
    spec: &'s Spec,
    events: &'s [Event],
}

/// The operators, the loosest first.
const LEVELS: [&[(&str, Operator)]; 5] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
    &[("*", Operator::Times)],
];
/// The level of sums.
const SUMS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn in_spec(body: &str) -> String {
        format!("spec s \"x\" {{\n{body}\n}}")
    }

    #[test]
    fn all_forms_are_read() {
        let text = in_spec(
            "option strict = off; option ends = \"f g*\"; ghost depth = -1; track $l;
             states a, b;
             on [lock *_lock]($l, ...) | pthread_mutex_lock($l) { new -> a; a -> b do depth = depth + 1; }
             on 0 = trylock($l) { a, b -> same when $l != null && (depth < 3 || !strict); }
             on $r = get($l, 5, null) { * -> ignore when $r >= -1; }
             on enter @ends(...) { a -> b; } on leave $v = @ends($x) { a -> b when $v == $x; }
             on leave f() { a -> b; } on assign .flag = $v { b -> a when $v == 0; }
             on assign count = _ { b -> a; } on label ERR* { a -> error \"bad\"; }
             on end { a -> error \"held\" when strict; }
             on deref($l) | access($l) | test($l) { a -> b when inside($l, $l, depth + 4); }
             on variable($l, $n) { new -> a do depth = $n; }
             on printf($s, ...) { a -> error \"no\" when !literal($s) && $s != global(stdout); }",
        );
        let spec = parse(&text).expect("a spec");
        assert_eq!(spec.handlers.len(), 13);
        assert_eq!(spec.tracked.as_deref(), Some("l"));
        assert_eq!(spec.handlers[0].rules[0].from, From::New);
        let EventKind::Returned(result, function) = &spec.handlers[1].events[0].kind else {
            panic!("a result");
        };
        assert_eq!((result, function.names[0].as_str()), (&Pattern::Number(0), "trylock"));
    }

    #[test]
    fn errors_point_to_line_and_column() {
        for (body, message) in [
            ("states a\non f() {}", "3:1: here should be `;`, not `on`"),
            ("states a, a;", "2:11: `a` is taken"),
            ("states new;", "2:8: `new` is taken"),
            ("states a;\n on f() { b -> a; }", "3:11: there is no state `b`"),
            ("states a; on f() { new -> a; }", "2:20: `new` is for specs that track a variable"),
            (
                "track $x; states a;\non f() { new -> a; }",
                "3:4: `new` needs an event with `$x` in it",
            ),
            (
                "states a; on f() { a -> error; }",
                "2:30: here should be the message, as a text, not `;`",
            ),
            (
                "states a; on f() { a -> a when $y; }",
                "2:32: `$y` has no value at the event at 2:14",
            ),
            ("states a; on f() { a -> a when n; }", "2:32: there is no ghost or switch `n`"),
            ("states a; on f() { a -> a do n = 1; }", "2:30: there is no ghost `n`"),
            ("states a; on enter @f() { }", "2:20: there is no option `f` with names"),
            ("states a; on f(1 2) { }", "2:18: here should be `)`, not `2`"),
            ("", "3:2: the spec has no states"),
            (
                "states a; on f() { } states b;",
                "2:22: here should be `on` or `}`: declarations stand before events, not `states`",
            ),
            (
                "frobnicate",
                "2:1: here should be `option`, `ghost`, `track`, `states`, `on` or `}`, not `frobnicate`",
            ),
        ] {
            assert_eq!(parse(&in_spec(body)).expect_err(body).to_string(), message, "{body}");
        }
    }
}

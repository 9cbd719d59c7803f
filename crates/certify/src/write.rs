//! Formulas of a proof as nodes of a certificate.
//!
//! A proof has terms over variables at cut points. Some variables are not those of the program: the
//! *value* of a tracked element stands for what an array has at its *positions*, which can be any and
//! stay the same, and summaries speak of values at the entry of a function. Who makes a certificate
//! says which ([`Meaning`]); nothing is read off names.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_logic::{Op, Scope, Sort, Term, Terms, Variable};

use crate::certificate::Node;

/// What stands for the element of an array.
#[derive(Clone, Debug)]
pub struct Element {
    /// The array.
    pub array: Variable,
    /// The positions, one for each dimension.
    pub positions: Vec<Term>,
    /// What stands for the value there.
    pub value: Variable,
}

/// What variables are that the program does not have.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// Elements of arrays.
    pub elements: Vec<Element>,
    /// Variables that hold what others held at the entry of the function.
    pub at_entry: BTreeMap<Variable, Variable>,
    /// Bit-vectors that can be any.
    pub positions: BTreeSet<Variable>,
}

/// The nodes of formulas, and which of them is which formula.
pub fn nodes(terms: &Terms, formulas: &[Term], meaning: &Meaning) -> (Vec<Node>, Vec<u32>) {
    let positions: Vec<Term> =
        meaning.elements.iter().flat_map(|element| element.positions.iter().copied()).collect();
    let symbols = terms.subterms(&positions).into_iter().filter_map(|term| terms.as_symbol(term));
    let free = symbols.map(|symbol| symbol.variable).collect();
    let mut written = Written { terms, meaning, free, numbers: BTreeMap::new(), nodes: Vec::new() };
    // Positions come first, because values are written with them.
    written.add(&positions);
    written.add(formulas);
    let Written { numbers, nodes, .. } = written;
    (nodes, formulas.iter().map(|formula| numbers[formula]).collect())
}

/// Formulas that are being written.
struct Written<'a> {
    terms: &'a Terms,
    meaning: &'a Meaning,
    /// Positions that can be any.
    free: BTreeSet<Variable>,
    numbers: BTreeMap<Term, u32>,
    nodes: Vec<Node>,
}

impl Written<'_> {
    /// Adds the nodes of terms that are not there yet.
    fn add(&mut self, roots: &[Term]) {
        let meaning = self.meaning;
        for term in self.terms.subterms(roots) {
            if self.numbers.contains_key(&term) {
                continue;
            }
            let variable = self.terms.as_symbol(term).map(|symbol| symbol.variable);
            let element = meaning.elements.iter().find(|element| Some(element.value) == variable);
            let original = variable.and_then(|variable| meaning.at_entry.get(&variable));
            let number = match (element, original) {
                (Some(element), _) => self.element(element),
                (None, Some(original)) => {
                    let (function, name) = named(self.terms, *original);
                    self.push(Node::AtEntry { function, name })
                }
                (None, None) => {
                    let args = self.terms.args(term).iter().map(|arg| self.numbers[arg]);
                    let args: Vec<u32> = args.collect();
                    let node = self.node(term, args);
                    self.push(node)
                }
            };
            self.numbers.insert(term, number);
        }
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// The value of a tracked element: what the array has at its positions.
    fn element(&mut self, element: &Element) -> u32 {
        let mut value = self.push(self.variable(element.array));
        for position in &element.positions {
            let args = vec![value, self.numbers[position]];
            value = self.push(Node::Apply("select".to_owned(), Vec::new(), args));
        }
        value
    }

    fn variable(&self, variable: Variable) -> Node {
        let (function, name) = named(self.terms, variable);
        if let (true, Sort::BitVec(width)) =
            (self.meaning.positions.contains(&variable), self.terms.variable_info(variable).sort)
        {
            return Node::BitsPosition(name, width);
        }
        match self.free.contains(&variable) {
            true => Node::Position(name),
            false => Node::Variable { function, name },
        }
    }

    fn node(&self, term: Term, args: Vec<u32>) -> Node {
        let terms = self.terms;
        let apply = |name: &str, numbers: &[u32]| {
            Node::Apply(name.to_owned(), numbers.to_vec(), args.clone())
        };
        match terms.op(term) {
            Op::Int(number) => Node::Int(terms.number(number).to_string()),
            Op::BitVec(number) => Node::Bits(terms.number(number).to_string(), terms.width(term)),
            Op::Symbol(symbol) => self.variable(symbol.variable),
            Op::Extract { high, low } => apply("extract", &[high, low]),
            Op::ZeroExtend(by) => apply("zero_extend", &[by]),
            Op::SignExtend(by) => apply("sign_extend", &[by]),
            Op::FloatFromBits(sort) => apply("to_fp", &[sort.exponent, sort.significand]),
            op => apply(name(op), &[]),
        }
    }
}

/// The function of a variable, and its name.
fn named(terms: &Terms, variable: Variable) -> (Option<u32>, String) {
    let info = terms.variable_info(variable);
    let function = match info.scope {
        Scope::Function(func) => Some(func),
        Scope::Global | Scope::Auxiliary => None,
    };
    (function, info.name.to_string())
}

/// The name of an operator in SMT-LIB; what the checker does not know has a name that it refuses
/// to read.
fn name(op: Op) -> &'static str {
    match op {
        Op::True => "true",
        Op::False => "false",
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Ite => "ite",
        Op::Eq => "=",
        Op::Add => "+",
        Op::Mul => "*",
        Op::Le => "<=",
        Op::Div => "div",
        Op::Mod => "mod",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvAdd => "bvadd",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvSdiv => "bvsdiv",
        Op::BvSrem => "bvsrem",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::BvUle => "bvule",
        Op::BvUlt => "bvult",
        Op::BvSle => "bvsle",
        Op::BvSlt => "bvslt",
        Op::Concat => "concat",
        Op::Select => "select",
        Op::Store => "store",
        Op::FloatEq => "fp.eq",
        Op::FloatLt => "fp.lt",
        Op::FloatLe => "fp.leq",
        Op::FloatIsNan => "fp.isNaN",
        Op::FloatIsInfinite => "fp.isInfinite",
        Op::Apply(_) => "an uninterpreted function",
        _ => "an operator on floating-point numbers",
    }
}

//! The arena of hash-consed terms.
//!
//! A [`Term`] is an index; equal terms have equal indices, arguments always precede the terms that
//! use them, so every bottom-up pass is a loop over indices and no algorithm here recurses. The
//! arena only grows. It holds no solver handles: solvers keep their own tables from terms to
//! whatever they use.

use super::op::{ConstantId, Op};
use super::rewrite::Rewrites;
use super::sort::{ArraySort, FloatSort, Sort};
use super::symbol::{Function, FunctionInfo, Scope, Symbol, Variable, VariableInfo};
use crate::Integer;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A term of the arena that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(crate) u32);

impl Term {
    /// Position in the arena: arguments have smaller ones.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) op: Op,
    pub(super) sort: Sort,
    start: u32,
    len: u32,
    /// Whether a symbol occurs in it: substitution leaves the rest alone.
    pub(super) open: bool,
}

/// Hash-consed terms, with the variables, functions and sorts they mention.
///
/// ```
/// use gnomon_logic::{Scope, Sort, Terms};
/// let mut t = Terms::new();
/// let x = t.variable("x", Scope::Global, Sort::Int);
/// let y = t.variable("y", Scope::Global, Sort::Int);
/// let (x, y) = (t.var(x), t.var(y));
/// let one = t.int(1);
/// let less = t.sub(y, one);
/// let equal = t.eq(x, less);
/// assert_eq!(t.display(equal).to_string(), "x == y - 1");
/// ```
pub struct Terms {
    pub(super) nodes: Vec<Node>,
    args: Vec<Term>,
    table: HashTable<u32>,
    constants: Vec<Integer>,
    constant_ids: FxHashMap<Integer, ConstantId>,
    array_sorts: Vec<(Sort, Sort)>,
    array_sort_ids: FxHashMap<(Sort, Sort), ArraySort>,
    variables: Vec<VariableInfo>,
    variable_ids: FxHashMap<VariableInfo, Variable>,
    functions: Vec<FunctionInfo>,
    function_ids: FxHashMap<FunctionInfo, Function>,
    pub(super) free_symbol_sets: FxHashMap<Term, Arc<[Symbol]>>,
    pub(super) atom_sets: FxHashMap<Term, Arc<[Term]>>,
    pub(super) rewrites: Rewrites,
    fresh: u32,
    identity: u64,
    /// Names of ranges of addresses by their first one: how long, and the name.
    pub(super) address_names: BTreeMap<Integer, (u64, String)>,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terms")
            .field("terms", &self.nodes.len())
            .field("variables", &self.variables.len())
            .finish_non_exhaustive()
    }
}

const TRUE: Term = Term(0);
const FALSE: Term = Term(1);

static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

fn hash_of(op: Op, args: &[Term], sort: Sort) -> u64 {
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    args.hash(&mut hasher);
    sort.hash(&mut hasher);
    hasher.finish()
}

impl Terms {
    /// An empty arena.
    pub fn new() -> Self {
        let mut terms = Self {
            nodes: Vec::new(),
            args: Vec::new(),
            table: HashTable::new(),
            constants: Vec::new(),
            constant_ids: FxHashMap::default(),
            array_sorts: Vec::new(),
            array_sort_ids: FxHashMap::default(),
            variables: Vec::new(),
            variable_ids: FxHashMap::default(),
            functions: Vec::new(),
            function_ids: FxHashMap::default(),
            free_symbol_sets: FxHashMap::default(),
            atom_sets: FxHashMap::default(),
            rewrites: Rewrites::default(),
            fresh: 0,
            address_names: BTreeMap::new(),
            identity: NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed),
        };
        terms.raw(Op::True, &[], Sort::Bool);
        terms.raw(Op::False, &[], Sort::Bool);
        terms
    }

    /// A number no other arena of this process has: solvers refuse terms of a foreign arena.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: truth and falsity are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operator of a term.
    pub fn op(&self, term: Term) -> Op {
        self.nodes[term.index()].op
    }

    /// The arguments of a term.
    pub fn args(&self, term: Term) -> &[Term] {
        let node = &self.nodes[term.index()];
        &self.args[node.start as usize..(node.start + node.len) as usize]
    }

    /// The argument at a position; the term must have it.
    pub fn arg(&self, term: Term, position: usize) -> Term {
        self.args(term)[position]
    }

    /// What a term ranges over.
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.index()].sort
    }

    /// Truth.
    pub fn tt(&self) -> Term {
        TRUE
    }

    /// Falsity.
    pub fn ff(&self) -> Term {
        FALSE
    }

    /// The node itself, without any simplification. The caller guarantees well-sortedness.
    pub(crate) fn raw(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        let hash = hash_of(op, args, sort);
        let (nodes, pool) = (&self.nodes, &self.args);
        let slice = |node: &Node| &pool[node.start as usize..(node.start + node.len) as usize];
        let found = self.table.find(hash, |&at| {
            let node = &nodes[at as usize];
            node.op == op && node.sort == sort && slice(node) == args
        });
        if let Some(&at) = found {
            return Term(at);
        }
        let open = matches!(op, Op::Symbol(_)) || args.iter().any(|a| nodes[a.index()].open);
        // 2^32 terms would need hundreds of gigabytes: memory limits strike long before.
        let at = self.nodes.len() as u32;
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        self.nodes.push(Node { op, sort, start, len: args.len() as u32, open });
        let (nodes, pool) = (&self.nodes, &self.args);
        self.table.insert_unique(hash, at, |&other| {
            let node = &nodes[other as usize];
            let slice = &pool[node.start as usize..(node.start + node.len) as usize];
            hash_of(node.op, slice, node.sort)
        });
        Term(at)
    }

    /// Whether no symbol occurs in the term.
    pub fn is_ground(&self, term: Term) -> bool {
        !self.nodes[term.index()].open
    }

    // --- numbers -------------------------------------------------------------------------------

    pub(super) fn constant(&mut self, value: Integer) -> ConstantId {
        if let Some(&id) = self.constant_ids.get(&value) {
            return id;
        }
        let id = ConstantId(self.constants.len() as u32);
        self.constants.push(value.clone());
        self.constant_ids.insert(value, id);
        id
    }

    /// The value of an interned number.
    pub fn number(&self, id: ConstantId) -> &Integer {
        &self.constants[id.0 as usize]
    }

    /// An integer constant.
    pub fn int(&mut self, value: impl Into<Integer>) -> Term {
        let id = self.constant(value.into());
        self.raw(Op::Int(id), &[], Sort::Int)
    }

    /// A bit-vector constant; the value is taken modulo 2^width (so -1 is all ones).
    pub fn bv(&mut self, value: impl Into<Integer>, width: u32) -> Term {
        let id = self.constant(crate::number::modulo_power_of_two(&value.into(), width));
        self.raw(Op::BitVec(id), &[], Sort::BitVec(width))
    }

    /// Truth or falsity.
    pub fn bool(&self, value: bool) -> Term {
        if value { TRUE } else { FALSE }
    }

    /// The value of an integer or bit-vector constant (the latter unsigned).
    pub fn value(&self, term: Term) -> Option<&Integer> {
        match self.op(term) {
            Op::Int(id) | Op::BitVec(id) => Some(self.number(id)),
            _ => None,
        }
    }

    // --- sorts, variables, functions -----------------------------------------------------------

    /// The sort of arrays from `index` to `element`.
    pub fn array_sort(&mut self, index: Sort, element: Sort) -> Sort {
        let next = ArraySort(self.array_sorts.len() as u32);
        let id = *self.array_sort_ids.entry((index, element)).or_insert(next);
        if id == next {
            self.array_sorts.push((index, element));
        }
        Sort::Array(id)
    }

    /// Index and element sort of an array sort.
    pub fn array_parts(&self, sort: ArraySort) -> (Sort, Sort) {
        self.array_sorts[sort.0 as usize]
    }

    /// Declares a variable, or finds the one declared so before.
    pub fn variable(&mut self, name: &str, scope: Scope, sort: Sort) -> Variable {
        let info = VariableInfo { name: name.into(), scope, sort };
        if let Some(&id) = self.variable_ids.get(&info) {
            return id;
        }
        let id = Variable(self.variables.len() as u32);
        self.variables.push(info.clone());
        self.variable_ids.insert(info, id);
        id
    }

    /// Declares an auxiliary variable that nobody has yet; its name starts with `prefix`.
    pub fn fresh_variable(&mut self, prefix: &str, sort: Sort) -> Variable {
        let name = format!("{prefix}!{}", self.fresh);
        self.fresh += 1;
        self.variable(&name, Scope::Auxiliary, sort)
    }

    /// What was declared.
    pub fn variable_info(&self, variable: Variable) -> &VariableInfo {
        &self.variables[variable.index()]
    }

    /// All variables, in the order of declaration.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + use<> {
        (0..self.variables.len() as u32).map(Variable)
    }

    /// The term of a symbol.
    pub fn symbol(&mut self, symbol: Symbol) -> Term {
        let sort = self.variable_info(symbol.variable).sort;
        self.raw(Op::Symbol(symbol), &[], sort)
    }

    /// The term of a variable without index.
    pub fn var(&mut self, variable: Variable) -> Term {
        self.symbol(Symbol { variable, index: None })
    }

    /// The term of a variable at an SSA index.
    pub fn var_at(&mut self, variable: Variable, index: u32) -> Term {
        self.symbol(Symbol { variable, index: Some(index) })
    }

    /// The symbol a term consists of.
    pub fn as_symbol(&self, term: Term) -> Option<Symbol> {
        match self.op(term) {
            Op::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Declares an uninterpreted function, or finds the one declared so before.
    pub fn function(&mut self, name: &str, arguments: &[Sort], result: Sort) -> Function {
        let info = FunctionInfo { name: name.into(), arguments: arguments.into(), result };
        if let Some(&id) = self.function_ids.get(&info) {
            return id;
        }
        let id = Function(self.functions.len() as u32);
        self.functions.push(info.clone());
        self.function_ids.insert(info, id);
        id
    }

    /// What was declared.
    pub fn function_info(&self, function: Function) -> &FunctionInfo {
        &self.functions[function.index()]
    }

    /// The variable at a position in the order of declaration.
    pub fn find_variable(&self, index: u32) -> Option<Variable> {
        ((index as usize) < self.variables.len()).then_some(Variable(index))
    }

    /// The function at a position in the order of declaration.
    pub fn find_function(&self, index: u32) -> Option<Function> {
        ((index as usize) < self.functions.len()).then_some(Function(index))
    }

    /// The width of a bit-vector term (0 for other sorts).
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::BitVec(width) => width,
            _ => 0,
        }
    }

    /// The format of a floating-point term.
    pub fn float_sort(&self, term: Term) -> Option<FloatSort> {
        match self.sort(term) {
            Sort::Float(sort) => Some(sort),
            _ => None,
        }
    }
}

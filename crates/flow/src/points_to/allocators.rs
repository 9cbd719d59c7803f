//! Which objects the program allocates, and the one level of calling context that pays: functions
//! that do nothing but allocate (`xmalloc`).
//!
//! A function is an allocator if it has a body and every value that it returns is null or was
//! allocated during the call, as can be seen from its local variables alone. What it allocates is
//! told apart by the call of the allocator: such a call gives the objects of its own, while inside
//! the allocator the objects of all its calls are one set. So nothing is lost when the allocator
//! writes to the object or keeps its address. Allocators that call allocators pass the context of
//! the outermost call on.
//!
//! An allocated object is divided as an array of the type that its address is converted to first.
//! The choice cannot be wrong, only coarse: accesses of other types find their cells by offset.

use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, Storage, VarId, source_name};
use gnomon_ir::types::{Type, TypeId, Types};
use rustc_hash::{FxHashMap, FxHashSet};

use super::objects::{ObjectId, ObjectKind, Objects, Site};

/// The allocated objects of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocators {
    /// What an allocating edge makes: a call of the library, or an `alloca`.
    made: FxHashMap<Site, Vec<ObjectId>>,
    /// What a direct call of an allocator returns.
    returned: FxHashMap<Site, (FuncId, Vec<ObjectId>)>,
}

impl Allocators {
    /// Finds the allocating edges and makes their objects.
    pub(crate) fn find(program: &Program, objects: &mut Objects, entries: &[FuncId]) -> Self {
        let scan = Scan::new(program);
        let wrappers = scan.wrappers();
        let called = FxHashSet::from_iter(address_taken(program).chain(entries.iter().copied()));
        let mut result = Self::default();
        // Callers of an allocator may be allocators: outermost first, so that contexts are known.
        let mut contexts: FxHashMap<FuncId, Vec<Option<Site>>> = FxHashMap::default();
        for &func in wrappers.iter().rev() {
            let mut known: Vec<Option<Site>> = Vec::new();
            for &(site, callee) in &scan.direct_calls {
                if callee != func {
                    continue;
                }
                match contexts.get(&site.function) {
                    Some(outer) => known.extend(outer),
                    None => known.push(Some(site)),
                }
            }
            if known.is_empty() || called.contains(&func) {
                known.push(None);
            }
            known.sort_unstable();
            known.dedup();
            contexts.insert(func, known);
        }
        for &(site, ref dst) in &scan.allocations {
            let unknown = [None];
            let around = contexts.get(&site.function).map_or(&unknown[..], |known| known);
            for &context in around {
                let kind = ObjectKind::Allocated { site, context };
                let elem = match context {
                    Some(outer) => scan.result_type(outer).or_else(|| scan.converted_to(*dst)),
                    None => scan.converted_to(*dst),
                };
                let object = objects.add_allocated(&program.types, kind, elem);
                result.made.entry(site).or_default().push(object);
            }
        }
        result.add_returned(&scan, &wrappers, &contexts, objects);
        result
    }

    /// What the calls of allocators return: the objects of this call's context.
    fn add_returned(
        &mut self,
        scan: &Scan<'_>,
        wrappers: &[FuncId],
        contexts: &FxHashMap<FuncId, Vec<Option<Site>>>,
        objects: &Objects,
    ) {
        let mut sites: FxHashMap<FuncId, Vec<Site>> = FxHashMap::default();
        for &func in wrappers {
            let mut reached: Vec<Site> = scan
                .allocations
                .iter()
                .map(|(site, _)| *site)
                .filter(|site| site.function == func)
                .collect();
            for &(site, callee) in &scan.direct_calls {
                if site.function == func
                    && let Some(inner) = sites.get(&callee)
                {
                    reached.extend(inner.iter().copied());
                }
            }
            reached.sort_unstable();
            reached.dedup();
            sites.insert(func, reached);
        }
        for &(site, callee) in &scan.direct_calls {
            let Some(inner) = sites.get(&callee) else { continue };
            let own = [Some(site)];
            let around = contexts.get(&site.function).map_or(&own[..], |known| known);
            let found = inner.iter().flat_map(|&site| {
                around.iter().filter_map(move |&context| {
                    objects.find(ObjectKind::Allocated { site, context })
                })
            });
            self.returned.insert(site, (callee, found.collect()));
        }
    }

    /// Gives edges the numbers that they have elsewhere; nothing if one has none.
    pub(super) fn rename(&mut self, site: &impl Fn(Site) -> Option<Site>) -> Option<()> {
        let made = std::mem::take(&mut self.made).into_iter();
        self.made = made.map(|(at, all)| Some((site(at)?, all))).collect::<Option<_>>()?;
        let returned = std::mem::take(&mut self.returned).into_iter();
        self.returned = returned.map(|(at, all)| Some((site(at)?, all))).collect::<Option<_>>()?;
        Some(())
    }

    /// The objects that an edge allocates.
    pub(crate) fn made_by(&self, site: Site) -> &[ObjectId] {
        self.made.get(&site).map_or(&[], |objects| objects)
    }

    /// What a direct call of an allocator returns, and nothing else.
    pub(crate) fn fresh_result(&self, site: Site, callee: FuncId) -> Option<&[ObjectId]> {
        self.returned.get(&site).filter(|found| found.0 == callee).map(|found| &found.1[..])
    }
}

/// Functions whose address is taken anywhere.
fn address_taken(program: &Program) -> impl Iterator<Item = FuncId> + '_ {
    (0..program.exprs.expr_count()).filter_map(|number| {
        match program.exprs.expr(ExprId(number as u32)).kind {
            ExprKind::FuncAddr(func) => Some(func),
            _ => None,
        }
    })
}

/// One look at all edges and expressions.
struct Scan<'a> {
    program: &'a Program,
    /// Direct calls of functions with a body.
    direct_calls: Vec<(Site, FuncId)>,
    /// Allocating edges with where the address goes.
    allocations: Vec<(Site, Option<PlaceId>)>,
    /// What the values of variables are converted to.
    conversions: FxHashMap<VarId, TypeId>,
}

impl<'a> Scan<'a> {
    fn new(program: &'a Program) -> Self {
        let mut scan = Self {
            program,
            direct_calls: Vec::new(),
            allocations: Vec::new(),
            conversions: conversions(program),
        };
        // Through a pointer an allocation is possible only where the address of one was taken.
        let indirect = address_taken(program).any(|func| is_library_allocation(program, func));
        for (function, info) in program.funcs.iter_ids() {
            for (edge, found) in info.body.iter().flat_map(|body| body.edges().iter_ids()) {
                let site = Site { function, edge };
                match &found.op {
                    Op::Alloca { dst, .. } => scan.allocations.push((site, Some(*dst))),
                    Op::Call(call) => match call.callee {
                        Callee::Direct(callee) if program.funcs[callee].body.is_some() => {
                            scan.direct_calls.push((site, callee));
                        }
                        Callee::Direct(callee) if is_library_allocation(program, callee) => {
                            scan.allocations.push((site, call.dst));
                        }
                        Callee::Indirect(_) if indirect => {
                            scan.allocations.push((site, call.dst));
                        }
                        _ => {}
                    },
                    _ => {}
                }
            }
        }
        scan
    }

    /// The allocators, callees before callers.
    fn wrappers(&self) -> Vec<FuncId> {
        let mut wrappers: Vec<FuncId> = Vec::new();
        loop {
            let known = FxHashSet::from_iter(wrappers.iter().copied());
            let new: Vec<FuncId> = self
                .program
                .funcs
                .ids()
                .filter(|func| !known.contains(func) && self.is_allocator(*func, &known))
                .collect();
            if new.is_empty() {
                return wrappers;
            }
            wrappers.extend(new);
        }
    }

    fn is_allocator(&self, func: FuncId, known: &FxHashSet<FuncId>) -> bool {
        let program = self.program;
        let function = &program.funcs[func];
        let signature = program.types.signature(function.ty);
        let Some(body) = &function.body else { return false };
        if !signature.is_some_and(|s| program.types.is_pointer(s.result)) {
            return false;
        }
        // Variables are fresh until an assignment shows that they are not.
        let mut stale: FxHashSet<VarId> = FxHashSet::default();
        loop {
            let before = stale.len();
            for edge in body.edges().iter() {
                let (dst, fresh) = match &edge.op {
                    Op::Assign { dst, src } => (*dst, self.is_fresh(func, *src, &stale)),
                    Op::Call(Call { dst: Some(dst), callee, .. }) => {
                        (*dst, self.is_allocating(*callee, known))
                    }
                    Op::Havoc(place)
                    | Op::Alloca { dst: place, .. }
                    | Op::VaStart(place)
                    | Op::VaArg { dst: place, .. }
                    | Op::VaCopy { dst: place, .. } => (*place, false),
                    _ => continue,
                };
                if let Some(var) = program.exprs.root_var(dst) {
                    let whole = matches!(program.exprs.place(dst).kind, PlaceKind::Var(_));
                    if !(fresh && whole) {
                        stale.insert(var);
                    }
                }
            }
            if stale.len() == before {
                break;
            }
        }
        let mut allocates = false;
        for edge in body.edges().iter() {
            match &edge.op {
                Op::Return(Some(value)) if !self.is_fresh(func, *value, &stale) => return false,
                Op::Call(call) => allocates |= self.is_allocating(call.callee, known),
                _ => {}
            }
        }
        allocates
    }

    fn is_allocating(&self, callee: Callee, known: &FxHashSet<FuncId>) -> bool {
        match callee {
            Callee::Direct(func) => {
                known.contains(&func) || is_library_allocation(self.program, func)
            }
            Callee::Indirect(_) => false,
        }
    }

    /// Whether the value is null or was allocated by the call that runs.
    fn is_fresh(&self, func: FuncId, expr: ExprId, stale: &FxHashSet<VarId>) -> bool {
        let exprs = &self.program.exprs;
        match exprs.expr(expr).kind {
            ExprKind::Zero => true,
            ExprKind::Const(_) => exprs.const_bits(expr) == Some(0),
            ExprKind::Cast(inner) => {
                self.program.types.is_pointer(exprs.ty(inner)) && self.is_fresh(func, inner, stale)
                    || exprs.const_bits(inner) == Some(0)
            }
            ExprKind::Load(place) => match exprs.place(place).kind {
                PlaceKind::Var(var) => {
                    let found = &self.program.vars[var];
                    found.storage == Storage::Local(func)
                        && !found.address_taken
                        && !stale.contains(&var)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The type that the result of a call is converted to.
    fn result_type(&self, site: Site) -> Option<TypeId> {
        let body = self.program.funcs[site.function].body.as_ref()?;
        match &body.edge(site.edge).op {
            Op::Call(call) => self.converted_to(call.dst),
            _ => None,
        }
    }

    fn converted_to(&self, dst: Option<PlaceId>) -> Option<TypeId> {
        let place = dst?;
        let types = &self.program.types;
        let declared = types.pointee(self.program.place_ty(place));
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(var) => {
                let converted = self.conversions.get(&var).copied();
                declared.filter(|&ty| is_informative(types, ty)).or(converted)
            }
            _ => declared.filter(|&ty| is_informative(types, ty)),
        }
    }
}

fn is_library_allocation(program: &Program, func: FuncId) -> bool {
    let function = &program.funcs[func];
    let name = source_name(&function.name);
    function.body.is_none() && matches!(classify(name, program.types.target()), Library::Alloc(_))
}

/// Whether a type tells more about an object than that it is bytes.
fn is_informative(types: &Types, ty: TypeId) -> bool {
    match *types.get(ty) {
        Type::Void | Type::Function(_) => false,
        Type::Int { bits, .. } => bits > 8,
        Type::Record(record) => types.record(record).complete && types.record(record).size > 0,
        Type::Array { .. } => types.size(ty) > 0,
        _ => true,
    }
}

fn conversions(program: &Program) -> FxHashMap<VarId, TypeId> {
    let mut found = FxHashMap::default();
    for number in 0..program.exprs.expr_count() {
        let expr = program.exprs.expr(ExprId(number as u32));
        let ExprKind::Cast(inner) = expr.kind else { continue };
        let ExprKind::Load(place) = program.exprs.expr(inner).kind else { continue };
        let PlaceKind::Var(var) = program.exprs.place(place).kind else { continue };
        if let Some(ty) = program.types.pointee(expr.ty)
            && is_informative(&program.types, ty)
        {
            found.entry(var).or_insert(ty);
        }
    }
    found
}

/// The edge of a call as a site.
pub(crate) fn site(function: FuncId, edge: EdgeId) -> Site {
    Site { function, edge }
}

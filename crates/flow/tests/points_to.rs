//! What points-to and mod-ref say about small programs, to the point.

mod points_to_support;

use gnomon_budget::Budget;
use gnomon_flow::points_to::{Method, ObjectKind, Offset, Options, PointsTo};
use gnomon_ir::cfa::Op;
use gnomon_ir::program::{FuncId, Program, VarId};
use gnomon_logic::encode::aliases::{Aliases, Object, Targets};
use gnomon_testkit::program;
use points_to_support::{Facts, analyze};

struct Subject {
    program: Program,
    facts: Facts,
}

impl Subject {
    fn new(text: &str) -> Self {
        let program = program(text);
        let facts = analyze(&program, Method::Inclusion);
        Self { program, facts }
    }

    fn var(&self, name: &str) -> VarId {
        let mut found = self.program.vars.iter_ids().filter(|(_, var)| var.name == name);
        found.next().unwrap_or_else(|| panic!("no variable {name}")).0
    }

    fn func(&self, name: &str) -> FuncId {
        self.program.find_function(name).unwrap_or_else(|| panic!("no function {name}"))
    }

    /// What a pointer variable points to, as `x`, `x+4`, `x%8=4`, `f()` or `new`.
    fn targets(&mut self, name: &str) -> Vec<String> {
        let var = self.var(name);
        let value = self.program.load_var(var);
        let points_to = &self.facts.points_to;
        let show = |target: &gnomon_flow::points_to::Target| {
            let object = match points_to.objects().get(target.object).kind {
                ObjectKind::Outside => return "outside".to_owned(),
                ObjectKind::Variable(var) => self.program.vars[var].name.clone(),
                ObjectKind::Function(func) => format!("{}()", self.program.funcs[func].name),
                ObjectKind::Allocated { .. } => "new".to_owned(),
                ObjectKind::VarArgs(_) => "arguments".to_owned(),
            };
            match target.offset {
                Offset::Exact(0) => object,
                Offset::Exact(offset) => format!("{object}+{offset}"),
                Offset::Modulo { remainder, modulus } => format!("{object}%{modulus}={remainder}"),
            }
        };
        points_to.pointees(&self.program, value).iter().map(show).collect()
    }

    /// Whether what two pointers point to may overlap.
    fn may_alias(&mut self, a: &str, b: &str) -> bool {
        let (a, b) = (self.var(a), self.var(b));
        let (a, b) = (self.program.load_var(a), self.program.load_var(b));
        let (a, b) = (self.program.deref(a), self.program.deref(b));
        self.facts.points_to.may_alias(&self.program, a, b)
    }

    /// The names of the variables that a call of the function may write.
    fn written(&self, func: &str) -> Vec<String> {
        let objects = self.facts.points_to.objects();
        let writes = self.facts.mod_ref.writes(self.func(func));
        let mut names: Vec<String> = writes
            .iter()
            .filter_map(|cell| {
                let cell = gnomon_flow::points_to::CellId(cell);
                match objects.get(objects.owner(cell)).kind {
                    ObjectKind::Variable(var) => {
                        let bytes = objects.cell_bytes(cell);
                        Some(format!("{}+{}", self.program.vars[var].name, bytes.start))
                    }
                    _ => None,
                }
            })
            .collect();
        names.sort();
        names
    }
}

#[test]
fn members_are_told_apart_and_elements_are_not() {
    let mut s = Subject::new(
        "int x, y, z; struct s { int *a; int *b; int *t[4]; } s, copy; int *p, *q, *r, *w;
         int main(void) { int i = 2; s.a = &x; s.b = &y; s.t[0] = &y; s.t[1] = &z; copy = s;
           p = copy.a; q = s.b; r = copy.t[i]; w = (int *)&copy.b; return 0; }",
    );
    assert_eq!(s.targets("p"), ["x"]);
    assert_eq!(s.targets("q"), ["y"]);
    assert_eq!(s.targets("r"), ["y", "z"]);
    assert_eq!(s.targets("w"), ["copy+8"]);
}

#[test]
fn a_member_leads_back_to_its_record() {
    let mut s = Subject::new(
        "struct list { struct list *next; }; struct item { int v; struct list link; } a, b;
         struct item *p;
         int main(void) { struct list *l = &a.link; l->next = &b.link;
           p = (struct item *)((char *)l->next - __builtin_offsetof(struct item, link));
           return p->v; }",
    );
    assert_eq!(s.targets("p"), ["b"]);
}

#[test]
fn allocators_are_told_apart_by_their_calls() {
    let mut s = Subject::new(
        "void *malloc(unsigned long); void abort(void);
         static void *grab(unsigned long n) { void *p = malloc(n); if (!p) abort(); return p; }
         static int *one(void) { return grab(sizeof(int)); }
         int x, y; int **a, **b; int *e, *f, *c, *d;
         int main(void) { a = grab(8); b = grab(8); *a = &x; *b = &y; e = *a; f = *b;
           c = one(); d = one(); return 0; }",
    );
    assert_eq!(s.targets("e"), ["x"]);
    assert_eq!(s.targets("f"), ["y"]);
    assert!(!s.may_alias("a", "b"));
    assert!(!s.may_alias("c", "d"), "through two allocators");
}

#[test]
fn calls_through_tables_are_resolved() {
    let s = Subject::new(
        "static int f(int a) { return a; } static int g(int a) { return -a; }
         static int h(int a) { return 0; } int (*table[2])(int) = { f, g }; int (*other)(int) = h;
         int main(void) { int i = 1; return table[i](3); }",
    );
    let main = s.func("main");
    let body = s.program.funcs[main].body.as_ref().expect("a body");
    let call = body.edges().iter_ids().find(|(_, edge)| matches!(edge.op, Op::Call(_)));
    let edge = call.expect("a call").0;
    let callees = s.facts.points_to.callees(&s.program, main, edge);
    assert_eq!(callees.functions, [s.func("f"), s.func("g")]);
    assert!(!callees.outside && callees.callbacks.is_empty());
    assert!(!s.facts.calls.is_recursive(main));
}

#[test]
fn what_escapes_may_come_back() {
    let mut s = Subject::new(
        "void unknown(int **); int *known(void); int x, y, z; int *p = &x, *q, *r = &z;
         int main(void) { unknown(&p); q = known(); return *r; }",
    );
    assert_eq!(s.targets("p"), ["outside", "p%1=0", "x%1=0"]);
    assert!(s.targets("q").contains(&"x%1=0".to_owned()));
    assert_eq!(s.targets("r"), ["z"], "what did not escape is not touched");
}

#[test]
fn pointers_go_through_numbers_and_bytes() {
    let mut s = Subject::new(
        "int x, y; int *p, *q; long u;
         int main(void) { int *a = &x, *b = &y; u = (long)a; p = (int *)u; 
           for (unsigned i = 0; i < sizeof q; i++) ((char *)&q)[i] = ((char *)&b)[i];
           return 0; }",
    );
    assert_eq!(s.targets("p"), ["x"]);
    assert_eq!(s.targets("q"), ["y"]);
    assert!(s.facts.points_to.observes_addresses());
}

#[test]
fn a_program_without_conversions_does_not_see_addresses() {
    let s = Subject::new("int x, *p; int main(void) { p = &x; return p == &x; }");
    assert!(!s.facts.points_to.observes_addresses());
}

#[test]
fn aliasing_of_places() {
    let mut s = Subject::new(
        "int x, y, a[4]; int *p, *q, *r, *t, *u;
         int main(void) { int i = 1; p = &x; q = &x; r = i ? &x : &y; t = &a[1]; u = a; return 0; }",
    );
    assert!(s.may_alias("p", "q"));
    assert!(s.may_alias("p", "r"));
    assert!(!s.may_alias("p", "t"));
    assert!(s.may_alias("t", "u"));
}

#[test]
fn behind_the_end_is_not_the_start() {
    let mut s = Subject::new(
        "int x; struct { int a; int b; } s; int *p, *q, *r;
         int main(void) { p = &x + 1; q = &s.a; r = q + 1; return 0; }",
    );
    assert_eq!(s.targets("p"), ["x+4"]);
    assert_eq!(s.targets("r"), ["s+4"]);
    assert!(!s.may_alias("q", "r"));
}

#[test]
fn summaries_hold_what_callers_see() {
    let s = Subject::new(
        "int g, h; struct { int a; int b; } s;
         static void set(int *p, int v) { int local = v; int *l = &local; *l = v + 1; *p = *l; }
         static void both(void) { set(&g, 1); set(&s.b, 2); }
         static int get(void) { return h; }
         int main(void) { both(); return get(); }",
    );
    assert_eq!(s.written("set"), ["g+0", "s+4"]);
    assert_eq!(s.written("both"), ["g+0", "s+4"]);
    assert_eq!(s.written("get"), [""; 0]);
    let h = s.facts.points_to.objects().cells(s.facts.points_to.objects().variable(s.var("h")));
    let h = h.last().expect("a cell");
    assert!(s.facts.mod_ref.reads(s.func("main")).contains(h.0));
    assert!(!s.facts.mod_ref.reads(s.func("both")).contains(h.0));
}

#[test]
fn too_much_work_falls_back_to_unification() {
    let program = program("int x, *p; int main(void) { p = &x; return *p; }");
    let options = Options { max_work: 1, ..Options::default() };
    let facts = PointsTo::analyze(&program, &options, &Budget::unlimited()).expect("no limits");
    assert_eq!(facts.statistics().method, Method::Unification);
    let steps = Budget::unlimited().with_steps(3);
    assert!(PointsTo::analyze(&program, &Options::default(), &steps).is_err());
}

#[test]
fn the_encoding_gets_variables_and_offsets() {
    let mut s = Subject::new(
        "struct { int a; int b; } s; int *p; int **argv; int main(int c, char **v) { p = &s.b; return 0; }",
    );
    let (p, v) = (s.var("p"), s.var("v"));
    let (p, v) = (s.program.load_var(p), s.program.load_var(v));
    let facts = s.facts.points_to.alias_facts(&s.program);
    let Targets::Known(known) = facts.targets(p) else { panic!("p is known") };
    assert_eq!(known.len(), 1);
    assert_eq!(known[0].object, Object::Variable(s.var("s")));
    assert_eq!(known[0].offset, Offset::Exact(4));
    let Targets::Known(outside) = facts.targets(v) else { panic!("v comes from outside") };
    assert!(outside.iter().any(|target| target.object == Object::Outside));
}

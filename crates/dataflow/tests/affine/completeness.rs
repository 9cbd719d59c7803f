//! On affine programs without loops, exactly the relations that hold on all paths are found.
//!
//! The oracle executes every path of the generated program by itself: a value is an affine form over
//! the inputs, and a relation holds if it vanishes for the constant and for every input on every path.

use gnomon_budget::Budget;
use gnomon_dataflow::affine::forms::Arithmetic;
use gnomon_dataflow::affine::relations::Relation;
use gnomon_dataflow::affine::variables::VariableLimits;
use gnomon_dataflow::affine::{AffineOptions, AffineProblem};
use gnomon_dataflow::points::Point;
use gnomon_ir::program::VarId;
use gnomon_wpds::TopWeights;
use gnomon_wpds::domains::affine::{Modular, Module};

use crate::programs::{Affine, Generated, Shape, Stmt, VARIABLES, generate};
use crate::{number, points_to, program};

/// The numbers modulo 256: the constant and the factors of the inputs.
type Symbolic = Vec<u8>;

fn plus(a: &Symbolic, b: &Symbolic, factor: u8) -> Symbolic {
    let length = a.len().max(b.len());
    let at = |v: &Symbolic, i: usize| v.get(i).copied().unwrap_or(0);
    (0..length).map(|i| at(a, i).wrapping_add(at(b, i).wrapping_mul(factor))).collect()
}

/// The state of a path: variables of the function that runs, and how many inputs there were.
#[derive(Clone)]
struct Path {
    values: Vec<Symbolic>,
    inputs: usize,
}

struct Oracle<'a> {
    generated: &'a Generated,
}

const MOST_PATHS: usize = 400;

impl Oracle<'_> {
    fn value(path: &Path, affine: &Affine) -> Symbolic {
        let start = vec![affine.constant as u8];
        affine.terms.iter().fold(start, |sum, (v, c)| plus(&sum, &path.values[*v], *c as u8))
    }

    fn run(&self, statements: &[Stmt], paths: Vec<Path>) -> Option<Vec<Path>> {
        let mut paths = paths;
        for statement in statements {
            let mut next = Vec::new();
            for mut path in paths {
                match statement {
                    Stmt::Assign(v, e) => {
                        path.values[*v] = Self::value(&path, e);
                        next.push(path);
                    }
                    Stmt::Input(v) => {
                        path.inputs += 1;
                        let mut fresh = vec![0; path.inputs + 1];
                        fresh[path.inputs] = 1;
                        path.values[*v] = fresh;
                        next.push(path);
                    }
                    Stmt::If(yes, no) => {
                        next.extend(self.run(yes, vec![path.clone()])?);
                        next.extend(self.run(no, vec![path])?);
                    }
                    Stmt::Call(v, callee, argument) => {
                        let argument = Self::value(&path, argument);
                        for (result, after) in self.function(*callee, argument, &path)? {
                            let mut back = path.clone();
                            back.inputs = after.inputs;
                            back.values[..2].clone_from_slice(&after.values[..2]);
                            back.values[*v] = result;
                            next.push(back);
                        }
                    }
                    Stmt::Other(..) | Stmt::While(_) => return None,
                }
            }
            paths = next;
            if paths.len() > MOST_PATHS {
                return None;
            }
        }
        Some(paths)
    }

    fn function(
        &self,
        function: usize,
        argument: Symbolic,
        caller: &Path,
    ) -> Option<Vec<(Symbolic, Path)>> {
        let (body, result) = &self.generated.functions[function];
        let mut start = caller.clone();
        start.values[2..].clone_from_slice(&[argument, vec![1], vec![2]]);
        let ends = self.run(body, vec![start])?;
        Some(ends.into_iter().map(|p| (Self::value(&p, result), p)).collect())
    }

    /// The state at the end of `main`.
    fn ends(&self) -> Option<Vec<Path>> {
        let values = vec![vec![0], vec![3], vec![0], vec![1], vec![2]];
        let start = Path { values, inputs: 0 };
        let main = self.generated.functions.len() - 1;
        let ends = self.function(main, vec![0], &start)?;
        Some(ends.into_iter().map(|(_, path)| path).collect())
    }
}

#[test]
fn affine_programs_without_loops_are_solved_completely() {
    let shape = Shape { loops: false, others: false, recursion: false };
    let (mut compared, mut held) = (0u64, 0u64);
    for seed in 0..number("GNOMON_AFFINE_PROGRAMS", 150) {
        let generated = generate(seed, shape, ["unsigned"; 5]);
        let Some(ends) = (Oracle { generated: &generated }).ends() else { continue };
        let text = generated.text();
        let program = program(&text);
        let entry = program.find_function("main").unwrap();
        let options =
            AffineOptions { arithmetic: Arithmetic::Modular(8), limits: VariableLimits::default() };
        let ring = Modular::new(8).unwrap();
        let points_to = points_to(&program);
        let problem = AffineProblem::new(&program, &points_to, entry, ring, options).unwrap();
        let solution = problem.solve(&Budget::unlimited()).unwrap();
        let tops = TopWeights::new(&solution).unwrap();
        let exit = program.funcs[entry].body.as_ref().unwrap().exit();
        let point = Point { func: entry, loc: exit };
        let found = problem.relations_at(&solution, &tops, point).unwrap();
        let visible = problem.variables().visible(&program, entry);
        let names: Vec<&str> =
            visible.iter().map(|(_, v)| program.vars[*v].name.as_str()).collect();
        let own = |name: &str| ["g0", "g1", "p", "a", "b"].iter().position(|n| *n == name);
        let columns: Vec<usize> = names.iter().map(|n| own(n).unwrap()).collect();
        let vars: Vec<VarId> = visible.iter().map(|(_, v)| *v).collect();
        let module = Module::generated(&ring, found.all().iter().map(|r| vector(r, &vars)));
        // Every relation with small numbers, also times a power of two.
        let width = columns.len() + 1;
        let mut candidate = vec![0u8; width];
        let numbers = [0u8, 1, 255, 2, 64];
        for code in 0..5usize.pow(width as u32) {
            let mut rest = code;
            for entry in &mut candidate {
                *entry = numbers[rest % 5];
                rest /= 5;
            }
            let holds = ends.iter().all(|path| {
                let mut sum = vec![candidate[0]];
                for (factor, &column) in candidate[1..].iter().zip(&columns) {
                    sum = plus(&sum, &path.values[column], *factor);
                }
                sum.iter().all(|&n| n == 0)
            });
            let wide: Vec<u64> = candidate.iter().map(|&n| u64::from(n)).collect();
            let is_found = module.contains(&ring, &wide);
            assert_eq!(is_found, holds, "seed {seed}: {candidate:?} over {names:?}\n{text}");
            compared += 1;
            held += u64::from(holds);
        }
    }
    println!("{compared} relations compared, {held} hold");
    assert!(held > compared / 1000 && VARIABLES == 5);
}

/// The constant, then the coefficients of the variables.
fn vector(relation: &Relation<u64>, vars: &[VarId]) -> Vec<u64> {
    let coefficient = |var: &VarId| relation.terms.iter().find(|t| t.0 == *var).map_or(0, |t| t.1);
    std::iter::once(relation.constant).chain(vars.iter().map(coefficient)).collect()
}

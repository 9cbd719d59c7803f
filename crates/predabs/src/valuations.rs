//! Which valuations of atoms are possible together, by asking a solver.
//!
//! A first model gives a candidate value for each atom; as long as some candidate can be different,
//! the solver says which: those that stay are the same in all models (one query more than there are
//! groups of atoms that vary together, not two for each). Those that vary are enumerated with
//! blocking clauses.

use gnomon_bdd::{Bdd, BddError, BddSpace, Var};
use gnomon_logic::value::Value;
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term, Terms};

/// An atom, and the bit that stands for it.
pub(crate) type Asked = (Var, Term);

/// Who is asked, and how often it was.
pub(crate) struct Questions<'a> {
    pub solver: &'a mut dyn Solver,
    pub limits: Limits,
    pub asked: &'a mut u64,
}

impl Questions<'_> {
    pub fn check(&mut self, terms: &Terms) -> Answer {
        *self.asked += 1;
        self.solver.check(terms, &[], Purpose::ABSTRACTION, self.limits)
    }

    /// The values of all atoms in the last model.
    fn truth_values(&mut self, terms: &Terms, atoms: &[Term]) -> Option<Vec<bool>> {
        let model = self.solver.model(terms, atoms);
        let value = |atom: &Term| match model.get(*atom) {
            Some(Value::Bool(value)) => Some(*value),
            _ => None,
        };
        atoms.iter().map(value).collect()
    }
}

/// How far valuations are enumerated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enumeration {
    /// So many atoms may vary; of more, nothing is known that holds between them.
    pub exact: usize,
    /// So many valuations are enumerated.
    pub valuations: usize,
}

/// What is known of an atom in the models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variation {
    /// It has one value.
    Same,
    /// It has both.
    Varies,
    /// Not known.
    Unknown,
}

impl Enumeration {
    /// The valuations of atoms in the models of what is asserted, of which the solver has just found
    /// one, and whether they are exact.
    pub fn of(
        self,
        space: &BddSpace,
        terms: &mut Terms,
        questions: &mut Questions<'_>,
        asked: &[Asked],
    ) -> Result<(Bdd, bool), BddError> {
        let mut known = space.top();
        let atoms: Vec<Term> = asked.iter().map(|(_, atom)| *atom).collect();
        let Some(first) = questions.truth_values(terms, &atoms) else { return Ok((known, false)) };
        let variations = varying(terms, questions, &atoms, &first);
        let mut rest: Vec<Asked> = Vec::new();
        for (position, &(bit, atom)) in asked.iter().enumerate() {
            match variations[position] {
                Variation::Same => known = known.and(&space.literal(bit, first[position])?)?,
                Variation::Varies => rest.push((bit, atom)),
                Variation::Unknown => {}
            }
        }
        // One that varies varies alone.
        if rest.len() < 2 {
            return Ok((known, true));
        }
        if rest.len() <= self.exact
            && let Some(found) = self.enumerated(space, terms, questions, &rest)?
        {
            return Ok((known.and(&found)?, true));
        }
        Ok((known, false))
    }

    /// All valuations; `None` if they are too many, or the solver gives up.
    fn enumerated(
        self,
        space: &BddSpace,
        terms: &mut Terms,
        questions: &mut Questions<'_>,
        asked: &[Asked],
    ) -> Result<Option<Bdd>, BddError> {
        let atoms: Vec<Term> = asked.iter().map(|(_, atom)| *atom).collect();
        let mut found = space.bottom();
        for _ in 0..self.valuations {
            match questions.check(terms) {
                Answer::Unsat => return Ok(Some(found)),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat => {}
            }
            let Some(values) = questions.truth_values(terms, &atoms) else { return Ok(None) };
            let literals: Vec<(Var, bool)> =
                asked.iter().zip(&values).map(|(&(bit, _), &value)| (bit, value)).collect();
            found = found.or(&space.cube(&literals)?)?;
            let different: Vec<Term> = atoms
                .iter()
                .zip(&values)
                .map(|(&atom, &value)| literal(terms, atom, !value))
                .collect();
            let other = terms.or(&different);
            questions.solver.assert(terms, other);
        }
        Ok(None)
    }
}

/// Which atoms can have another value than the first one.
fn varying(
    terms: &mut Terms,
    questions: &mut Questions<'_>,
    atoms: &[Term],
    first: &[bool],
) -> Vec<Variation> {
    let mut variation = vec![Variation::Same; atoms.len()];
    loop {
        let mut same: Vec<usize> =
            (0..atoms.len()).filter(|&i| variation[i] == Variation::Same).collect();
        if same.is_empty() {
            return variation;
        }
        let flipped: Vec<Term> =
            same.iter().map(|&i| literal(terms, atoms[i], !first[i])).collect();
        let some = terms.or(&flipped);
        questions.solver.push();
        questions.solver.assert(terms, some);
        let answer = questions.check(terms);
        let values = match answer {
            Answer::Sat => questions.truth_values(terms, atoms),
            _ => None,
        };
        questions.solver.pop();
        match (answer, values) {
            (Answer::Unsat, _) => return variation,
            (Answer::Sat, Some(values)) => {
                let before = same.len();
                same.retain(|&i| values[i] == first[i]);
                if same.len() == before {
                    // A model that does not show what it should: nothing is known.
                    return vec![Variation::Unknown; atoms.len()];
                }
                for i in 0..atoms.len() {
                    if values[i] != first[i] {
                        variation[i] = Variation::Varies;
                    }
                }
            }
            _ => {
                // One by one, so that one hard predicate does not hide the others.
                for i in same {
                    let flipped = literal(terms, atoms[i], !first[i]);
                    questions.solver.push();
                    questions.solver.assert(terms, flipped);
                    let answer = questions.check(terms);
                    questions.solver.pop();
                    variation[i] = match answer {
                        Answer::Unsat => continue,
                        Answer::Sat => Variation::Varies,
                        Answer::Unknown(_) => Variation::Unknown,
                    };
                }
                return variation;
            }
        }
    }
}

fn literal(terms: &mut Terms, atom: Term, value: bool) -> Term {
    if value { atom } else { terms.not(atom) }
}

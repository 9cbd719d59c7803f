//! Counterexamples are made short before anybody reads them: fewest steps, then few and small inputs.
//!
//! Whoever found an error first, found some run: with inputs by chance, or with whatever numbers a
//! solver chose. Here other inputs are tried, each by executing the program: delta debugging over the
//! sequence of inputs (Zeller and Hildebrandt, TSE 2002, `ddmin`), short sequences of the values that
//! occur, and smaller numbers in place of large ones. A run counts only if it takes the same edge that
//! must not be taken, with the same fault, passes no other such edge, and has no undefined behaviour that
//! the run before did not have. What is kept is executed once more like every other counterexample.
//!
//! What may be spent is counted in steps of runs, so the same program always gives the same run. A run of
//! several threads is one of a sequential program that has the schedule among its inputs.

mod size;
mod together;
mod trial;

use gnomon_budget::Budget;
use gnomon_engine::property::{ErrorSites, Property};
use gnomon_engine::replay::Counterexample;
use gnomon_engine::verdict::Verdict;
use gnomon_ir::program::Program;
use gnomon_ir::trace::Input;

use self::size::{Number, simpler_objects};
use self::trial::{Given, Trial, Tried};
use crate::decide::{self, Options, Report};
use crate::outcome::Answers;

/// How many steps all runs that are tried may take together: about a second.
const MOST_STEPS: u64 = 1_500_000;
/// How often all ways to make a run shorter are tried, at most.
const ROUNDS: usize = 4;
/// Sequences of so many different values are tried, and so many sequences of one length.
const ALPHABET: usize = 6;
const SEQUENCES: usize = 1_500;
/// Whole numbers up to this one are tried one by one.
const SMALL: i128 = 16;

/// Makes the runs in some answers shorter, as far as a small budget allows.
pub(crate) fn minimise(
    program: &Program,
    options: &Options,
    answers: &mut Answers,
    budget: &Budget,
) {
    match answers {
        Answers::Whole(report) => {
            let property = options.property.clone();
            minimise_report(program, options, property, report, MOST_STEPS, budget);
        }
        Answers::Each(sites) => {
            let reports: Vec<&mut Report> =
                sites.iter_mut().map(|site| &mut site.report).filter(|r| is_violated(r)).collect();
            minimise_alone(program, options, reports, budget);
        }
        Answers::Groups(groups) => {
            let sites = groups.iter_mut().flat_map(|group| &mut group.sites);
            let reports: Vec<&mut Report> =
                sites.map(|site| &mut site.report).filter(|r| is_violated(r)).collect();
            minimise_alone(program, options, reports, budget);
        }
    }
}

fn is_violated(report: &Report) -> bool {
    matches!(report.verdict, Verdict::False(_))
}

/// Sites that were asked about alone: their runs may pass others.
fn minimise_alone(
    program: &Program,
    options: &Options,
    reports: Vec<&mut Report>,
    budget: &Budget,
) {
    let share = MOST_STEPS / (reports.len() as u64).max(1);
    for report in reports {
        let Verdict::False(run) = &report.verdict else { continue };
        let property =
            Property { edges: vec![(run.site, run.message.clone())], ..Property::nothing() };
        minimise_report(program, options, property, report, share, budget);
    }
}

fn minimise_report(
    program: &Program,
    options: &Options,
    property: Property,
    report: &mut Report,
    most_steps: u64,
    budget: &Budget,
) {
    let Verdict::False(run) = &report.verdict else { return };
    let alone = Options { property, ..options.clone() };
    let Some(better) = shorter(program, options, &alone, run, most_steps, budget) else { return };
    report.statistics.numbers.insert("counterexample, steps as found", run.length as f64);
    report.assumptions = better.assumptions;
    report.verdict = better.verdict;
}

/// The report of a shorter run than this one, executed, if there is one. `alone` forbids the site of
/// the run and perhaps others, `options` all that is asked for.
fn shorter(
    program: &Program,
    options: &Options,
    alone: &Options,
    run: &Counterexample,
    most_steps: u64,
    budget: &Budget,
) -> Option<Report> {
    let all = ErrorSites::of(program, &options.property).ok()?;
    let asked = ErrorSites::of(program, &alone.property).ok()?;
    let trial = Trial::new(program, alone, &asked, &all, run, budget)?;
    let mut search = Search::new(trial, run, most_steps)?;
    let before = search.best.measure();
    search.minimise();
    if search.best.measure() >= before {
        return None;
    }
    let best = &search.best;
    let limited = budget.with_steps(best.looks + 1);
    let report = decide::executed(program, alone, best.trace(), &limited).ok()??;
    match &report.verdict {
        Verdict::False(found)
            if (found.site, found.fault) == (run.site, run.fault)
                && found.length == best.length =>
        {
            Some(report)
        }
        _ => None,
    }
}

/// The search for a shorter run.
struct Search<'a> {
    trial: Trial<'a>,
    best: Tried,
    steps_left: u64,
}

impl<'a> Search<'a> {
    /// Begins with a run, if it can be repeated.
    fn new(mut trial: Trial<'a>, run: &Counterexample, most_steps: u64) -> Option<Self> {
        let given = run.inputs.inputs.iter().cloned().map(Given::of).collect::<Vec<_>>();
        let best = trial.execute(&given, run.length).ok()?;
        (best.length == run.length).then(|| {
            trial.allow(&best);
            Self { trial, best, steps_left: most_steps }
        })
    }

    fn minimise(&mut self) {
        for _ in 0..ROUNDS {
            let before = self.best.measure();
            self.all_alike();
            self.drop_chunks();
            self.short_sequences();
            self.extreme_numbers();
            self.smaller_numbers();
            self.together();
            self.simpler_arguments();
            if self.best.measure() >= before || self.steps_left == 0 {
                return;
            }
        }
    }

    /// Executes the program with other inputs, and keeps the run if it is better.
    fn try_inputs(&mut self, inputs: &[Given]) -> bool {
        if self.steps_left == 0 {
            return false;
        }
        let tried = self.trial.execute(inputs, self.best.length);
        let spent = tried.as_ref().map_or_else(|spent| *spent, |tried| tried.length);
        // Inputs are copied for every run.
        let copied = inputs.len() as u64;
        self.steps_left = self.steps_left.saturating_sub(spent + copied + self.trial.start_steps);
        match tried {
            Ok(tried) if tried.measure() < self.best.measure() => {
                self.best = tried;
                true
            }
            _ => false,
        }
    }

    /// One small number everywhere: many programs need nothing particular.
    fn all_alike(&mut self) {
        for value in [0, 1, -1, 2] {
            let alike = |given: &Given| given.with_number(value).unwrap_or_else(|| given.clone());
            let inputs: Vec<Given> = self.best.inputs.iter().map(alike).collect();
            self.try_inputs(&inputs);
        }
    }

    /// Leaves out inputs, in chunks of half of them down to single ones.
    fn drop_chunks(&mut self) {
        let mut chunk = self.best.inputs.len().div_ceil(2);
        while chunk > 0 {
            let mut at = 0;
            while at < self.best.inputs.len() {
                let inputs = &self.best.inputs;
                let end = (at + chunk).min(inputs.len());
                let rest = [&inputs[..at], &inputs[end..]].concat();
                if self.steps_left == 0 {
                    return;
                }
                if !self.try_inputs(&rest) {
                    at = end;
                }
            }
            chunk /= 2;
        }
    }

    /// Sequences of few values that occur in the run, the shortest first.
    fn short_sequences(&mut self) {
        let positions: Vec<usize> = self.positions(|_| true);
        let mut values = self.different_numbers();
        values.truncate(ALPHABET);
        let Some(pattern) = positions.first().map(|&at| self.best.inputs[at].clone()) else {
            return;
        };
        if !positions.iter().all(|&at| self.best.inputs[at].is_asked_like(&pattern)) {
            return;
        }
        let fixed: Vec<Given> =
            self.best.inputs.iter().filter(|given| given.number().is_none()).cloned().collect();
        let mut count = 1;
        for length in 0..positions.len() {
            if count > SEQUENCES {
                return;
            }
            for number in 0..count {
                let mut inputs = fixed.clone();
                let mut rest = number;
                for _ in 0..length {
                    inputs.push(pattern.with(values[rest % values.len()]));
                    rest /= values.len();
                }
                if self.try_inputs(&inputs) {
                    return;
                }
            }
            count = count.saturating_mul(values.len());
        }
    }

    /// The positions of numbers from outside.
    fn positions(&self, is_meant: impl Fn(Number) -> bool) -> Vec<usize> {
        let inputs = self.best.inputs.iter().enumerate();
        let numbers = inputs.filter_map(|(at, given)| Some((at, given.number()?)));
        numbers.filter(|(_, number)| is_meant(*number)).map(|(at, _)| at).collect()
    }

    /// The largest and the smallest number in place of one: a sum overflows with fewer steps.
    fn extreme_numbers(&mut self) {
        for at in 0..self.best.inputs.len() {
            if self.steps_left == 0 {
                return;
            }
            let Some(number) = self.best.inputs.get(at).and_then(Given::number) else { continue };
            for value in number.extremes() {
                self.put(&[at], value);
            }
        }
    }

    /// The numbers from outside, each once, small ones first.
    fn different_numbers(&self) -> Vec<Number> {
        let mut numbers: Vec<Number> = self.best.inputs.iter().filter_map(Given::number).collect();
        numbers.sort_by_key(|number| (number.size(), number.bits));
        numbers.dedup();
        numbers
    }

    /// Smaller numbers: those that are equal together, then each for itself.
    fn smaller_numbers(&mut self) {
        for number in self.different_numbers().into_iter().rev() {
            // Looking for them is work too.
            self.steps_left = self.steps_left.saturating_sub(self.best.inputs.len() as u64);
            if self.steps_left == 0 {
                return;
            }
            let equal = self.positions(|other| other == number);
            if equal.len() > 1 {
                self.smaller_at(&equal);
            }
        }
        // The last ones first: what is needed is then in few of them.
        for at in (0..self.best.inputs.len()).rev() {
            if self.steps_left == 0 {
                return;
            }
            self.smaller_at(&[at]);
        }
    }

    /// Makes the numbers at some positions smaller, all of them the same: one of the smallest, or else the
    /// least that does it, as far as halving finds it.
    fn smaller_at(&mut self, positions: &[usize]) {
        let Some(old) = positions.first().and_then(|&at| self.best.inputs.get(at)?.number()) else {
            return;
        };
        let smallest = [0, 1, -1].into_iter().chain(2..=SMALL);
        let smaller = smallest.take_while(|&value| old.whole().is_none_or(|old| old != value));
        for value in smaller {
            if self.put(positions, value) {
                return;
            }
        }
        if let Some(whole) = old.truncated() {
            self.put(positions, whole);
        }
        let now = positions.first().and_then(|&at| self.best.inputs.get(at)?.number());
        let Some(value) = now.and_then(Number::whole) else { return };
        if value < 0 && self.put(positions, value.saturating_neg()) {
            return self.smaller_at(positions);
        }
        let (mut least, mut most) = (1, value.unsigned_abs());
        if value > SMALL {
            least = SMALL.unsigned_abs();
        }
        while most.saturating_sub(least) > 1 && self.steps_left > 0 {
            let middle = least + (most - least) / 2;
            let signed =
                i128::try_from(middle).map_or(i128::MAX, |m| if value < 0 { -m } else { m });
            if self.put(positions, signed) {
                most = middle;
            } else {
                least = middle;
            }
        }
    }

    /// Tries a number at some positions; whether the run is better and has it there.
    fn put(&mut self, positions: &[usize], value: i128) -> bool {
        if self.steps_left == 0 {
            return false;
        }
        let numbers: Vec<(usize, i128)> = positions.iter().map(|&at| (at, value)).collect();
        let is_new = |&at: &usize| self.whole_at(at) != Some(value);
        positions.iter().all(is_new) && self.put_each(&numbers)
    }

    /// Tries numbers at their positions; whether the run is better and has them there.
    fn put_each(&mut self, numbers: &[(usize, i128)]) -> bool {
        if self.steps_left == 0 {
            return false;
        }
        let mut inputs = self.best.inputs.clone();
        for &(at, value) in numbers {
            match inputs.get(at).and_then(|given| given.with_number(value)) {
                Some(given) => inputs[at] = given,
                None => return false,
            }
        }
        self.try_inputs(&inputs)
            && numbers.iter().all(|&(at, value)| self.whole_at(at) == Some(value))
    }

    fn whole_at(&self, at: usize) -> Option<i128> {
        self.best.inputs.get(at).and_then(Given::number).and_then(Number::whole)
    }

    /// Objects behind arguments that are pointers: none, or with zeros in it.
    fn simpler_arguments(&mut self) {
        for at in 0..self.best.inputs.len() {
            let mut tried = 0;
            while let Some(Given { input: Input::Argument { name, value }, .. }) =
                self.best.inputs.get(at).cloned()
            {
                let Some(simpler) = simpler_objects(&value).nth(tried) else { break };
                let mut inputs = self.best.inputs.clone();
                inputs[at].input = Input::Argument { name, value: simpler };
                if self.steps_left == 0 {
                    return;
                }
                if !self.try_inputs(&inputs) {
                    tried += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_ir::trace::InputTrace;
    use gnomon_testkit::program;

    const OUTSIDE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);";

    fn numbers(inputs: &InputTrace) -> Vec<i32> {
        let number = |input: &Input| match input {
            Input::Nondet { value, .. } => Some(*value as u32 as i32),
            _ => None,
        };
        inputs.inputs.iter().filter_map(number).collect()
    }

    /// The run of a program with these inputs, and the one that is made of it.
    fn minimised(text: &str, inputs: &[i32]) -> (Counterexample, Counterexample) {
        let program = program(&format!("{OUTSIDE}\n{text}"));
        let options = Options::default();
        let nondet = |&value: &i32| Input::Nondet { value: (value as u32).into(), line: None };
        let trace = InputTrace { inputs: inputs.iter().map(nondet).collect() };
        let budget = Budget::unlimited();
        let report = decide::executed(&program, &options, trace, &budget).unwrap().unwrap();
        let found = |report: &Report| match &report.verdict {
            Verdict::False(run) => (**run).clone(),
            other => panic!("{other:?}"),
        };
        let before = found(&report);
        let mut answers = Answers::Whole(Box::new(report));
        minimise(&program, &options, &mut answers, &budget);
        let Answers::Whole(report) = &answers else { unreachable!() };
        (before, found(report))
    }

    #[test]
    fn a_run_with_many_inputs_is_given_up_soon() {
        let text = "int main(void) { int last = 0;
            for (int i = 0; i < 50000; i++) { int now = __VERIFIER_nondet_int(); if (now <= last) return 0; last = now; }
            reach_error(); }";
        let inputs: Vec<i32> = (1..=50_000).collect();
        let (before, after) = minimised(text, &inputs);
        assert_eq!((before.site, before.length), (after.site, after.length));
    }

    /// Three events in the right order, between many that go astray.
    const MACHINE: &str = "int main(void) {
        int state = 0;
        for (;;) {
            int event = __VERIFIER_nondet_int();
            if (state == 0 && event == 4) state = 1;
            else if (state == 1 && event > 100) state = 2;
            else if (state == 1 && event < -100) state = 0;
            else if (state == 2 && event % 5 == 3) reach_error();
        }
    }";

    fn many_events() -> Vec<i32> {
        let noise = (1..60i32).map(|n| n.wrapping_mul(-1_581_685_260) | 1);
        let mut events: Vec<i32> = noise.clone().collect();
        events.extend([4, -2_000_000_000, 7, 4]);
        events.extend([5, 5, 5]);
        events.push(1_879_048_202);
        events.extend(noise.map(|n| n - n % 5));
        events.extend([1_000_000_003, 9]);
        events
    }

    #[test]
    fn three_events_are_shown_as_three() {
        let (before, after) = minimised(MACHINE, &many_events());
        assert!(before.length > 400, "{}", before.length);
        assert_eq!(numbers(&after.inputs), [4, 101, 3]);
        assert!(after.length < 30, "{}", after.length);
        assert_eq!(after.edges.len() as u64, after.length);
    }

    #[test]
    fn the_same_run_is_found_again() {
        let once = minimised(MACHINE, &many_events()).1;
        assert_eq!(once, minimised(MACHINE, &many_events()).1);
    }

    #[test]
    fn numbers_become_as_small_as_they_can_be() {
        let text = "int main(void) {
            int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
            int z = __VERIFIER_nondet_int(), same = __VERIFIER_nondet_int();
            if (x > 1000 && y < -50 && z == same && z > 7) reach_error();
            return 0;
        }";
        let inputs = [1_073_741_824, -1_581_685_260, 123_456, 123_456];
        assert_eq!(numbers(&minimised(text, &inputs).1.inputs), [1001, -51, 8, 8]);
    }

    #[test]
    fn numbers_that_depend_on_one_another_become_small_together() {
        let text = "int main(void) {
            int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
            if (x > -5 && y - x == 5) reach_error();
            return 0;
        }";
        assert_eq!(numbers(&minimised(text, &[2_147_480_000, 2_147_480_005]).1.inputs), [0, 5]);
        let text = "int main(void) {
            int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
            if (x > 50 && x < 700000000 && y == 3 * x) reach_error();
            return 0;
        }";
        assert_eq!(numbers(&minimised(text, &[600_000_000, 1_800_000_000]).1.inputs), [51, 153]);
        let text = "int main(void) {
            unsigned x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
            if (x > 1000000 && y == x + 7) reach_error();
            return 0;
        }";
        let inputs = [i32::MAX - 2, i32::MIN + 4];
        assert_eq!(numbers(&minimised(text, &inputs).1.inputs), [-7, 0]);
    }

    #[test]
    fn of_two_numbers_that_are_large_together_one_is_small() {
        let text = "int main(void) {
            int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
            if (0 <= low && low <= high && (unsigned)low + (unsigned)high > 2147483647) reach_error();
            return 0;
        }";
        let inputs = [1_073_741_823, 1_073_741_825];
        assert_eq!(numbers(&minimised(text, &inputs).1.inputs), [1, i32::MAX]);
    }

    #[test]
    fn a_sum_overflows_early() {
        let text = "int main(void) {
            long sum = 0;
            for (int i = 0; i < 8; i++) {
                sum += __VERIFIER_nondet_int();
                if (sum > 2147483647) reach_error();
            }
            return 0;
        }";
        let inputs = [600_000_000, 500_000_000, 400_000_000, 300_000_000, 300_000_000, 300_000_000];
        assert_eq!(numbers(&minimised(text, &inputs).1.inputs), [i32::MAX, 1]);
    }

    #[test]
    fn a_loop_runs_as_often_as_it_must() {
        let text = "int main(void) {
            int n = __VERIFIER_nondet_int(), i = 0;
            while (i < n) i++;
            if (i >= 3) reach_error();
            return 0;
        }";
        let (before, after) = minimised(text, &[5000]);
        assert_eq!(numbers(&after.inputs), [3]);
        assert!(after.length < before.length / 100);
    }

    #[test]
    fn another_error_is_no_shorter_run() {
        let text = "int main(void) {
            int x = __VERIFIER_nondet_int();
            if (x == 0) reach_error();
            int y = __VERIFIER_nondet_int();
            if (x > 5 && y > 5) reach_error();
            return 0;
        }";
        let (before, after) = minimised(text, &[70_000, 80_000]);
        assert_eq!(before.site, after.site);
        assert_eq!(numbers(&after.inputs), [6, 6]);
    }

    #[test]
    fn undefined_behaviour_is_no_way_to_a_shorter_run() {
        // With x below 100, the sum is one that C does not define.
        let text = "int main(void) {
            int x = __VERIFIER_nondet_int();
            if (x < 100) { int big = 2147483647; if (big + 1 < 0) goto wrong; return 0; }
            if (x % 1000 != 77) return 0;
            wrong: reach_error();
            return 0;
        }";
        let (_, after) = minimised(text, &[5_000_077]);
        assert!(numbers(&after.inputs)[0] >= 100, "{:?}", after.inputs);
    }

    #[test]
    fn each_site_keeps_its_own_error() {
        let program = program(&format!(
            "{OUTSIDE} int main(void) {{
                int x = __VERIFIER_nondet_int();
                if (x > 10) reach_error();
                if (x < -10) reach_error();
                return 0;
            }}"
        ));
        let options = Options::default();
        let budget = Budget::unlimited();
        let sites = ErrorSites::of(&program, &options.property).unwrap();
        let report = |(site, what): (gnomon_engine::property::Site, &str), x: i32| {
            let edges = vec![(site, what.to_owned())];
            let property = Property { edges, ..Property::nothing() };
            let alone = Options { property, ..Options::default() };
            let input = Input::Nondet { value: (x as u32).into(), line: None };
            let trace = InputTrace { inputs: vec![input] };
            let report = decide::executed(&program, &alone, trace, &budget).unwrap().unwrap();
            decide::SiteReport { site: Some(site), what: what.to_owned(), report }
        };
        let reports = sites.iter().zip([99_999, -99_999]).map(|(site, x)| report(site, x));
        let mut answers = Answers::Each(reports.collect());
        minimise(&program, &options, &mut answers, &budget);
        let Answers::Each(reports) = &answers else { unreachable!() };
        let runs = reports.iter().map(|report| match &report.report.verdict {
            Verdict::False(run) => (Some(run.site) == report.site, numbers(&run.inputs)),
            other => panic!("{other:?}"),
        });
        assert_eq!(runs.collect::<Vec<_>>(), [(true, vec![11]), (true, vec![-11])]);
    }
}

//! Both engines on the programs of `tests/programs`: where they decide, they say what the header says.
//!
//! The areas that the pushdown engine is for are checked daily; a campaign (`GNOMON_CAMPAIGN=1`, as in
//! `.ci/run`) takes all. Plain runs are off, so that the engines work.

use gnomon_engine::verdict::Verdict;
use gnomon_testkit::corpus::{self, Case};
use gnomon_testkit::limits;
use gnomon_testkit::table::{Judgement, Outcome, judge};
use gnomon_verify::decide::{Engine, Options, check};

/// Calls, recursion and the programs of the papers.
const DAILY: [&str; 4] = ["drivers", "functions", "papers", "recursion"];

fn decided(case: &Case, engine: Engine) -> Outcome {
    let options = Options { engine, runs: false, ..Options::default() };
    let budget = limits::for_one_engine();
    match check(&case.program(), &options, &budget).expect("a good request").verdict {
        Verdict::True(_) => Outcome::True,
        Verdict::False(_) => Outcome::False,
        Verdict::Unknown(reason) => Outcome::Unknown(reason.to_string()),
    }
}

#[test]
fn the_engines_agree() {
    let areas = match limits::is_campaign() {
        true => corpus::areas(),
        false => DAILY.map(str::to_owned).to_vec(),
    };
    let (mut tried, mut lazy_decided, mut pushdown_decided, mut both) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for case in areas.iter().flat_map(|area| corpus::area(area)) {
        tried += 1;
        let said = [Engine::Lazy, Engine::Pushdown].map(|engine| decided(&case, engine));
        let [lazy, pushdown] = said.each_ref().map(|o| !matches!(o, Outcome::Unknown(_)));
        println!("{}: lazy {}; pushdown {}", case.name, said[0], said[1]);
        lazy_decided += usize::from(lazy);
        pushdown_decided += usize::from(pushdown);
        both += usize::from(lazy && pushdown);
        if said.iter().any(|outcome| judge(&case.header, outcome) == Judgement::Wrong) {
            wrong.push(format!("{}: lazy {}; pushdown {}", case.name, said[0], said[1]));
        }
    }
    println!("{tried} programs: lazy {lazy_decided}, pushdown {pushdown_decided}, both {both}");
    assert!(wrong.is_empty(), "wrong verdicts:\n{}", wrong.join("\n"));
    assert!(both * 100 >= lazy_decided * 50, "pushdown decides {both} of {lazy_decided}");
}

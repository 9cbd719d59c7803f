//! What a test may use.
//!
//! The daily run is for every change: small limits, in work rather than in seconds, so that a loaded
//! machine changes nothing. Campaigns (`GNOMON_CAMPAIGN=1`, as in `.ci/run`) take the programs that
//! are marked as slow too, and more of everything.

use std::time::Duration;

use gnomon_budget::Budget;

/// Whether this is a campaign.
pub fn is_campaign() -> bool {
    std::env::var("GNOMON_CAMPAIGN").is_ok_and(|value| value != "0")
}

/// A number in an environment variable, such as how many random programs to make.
pub fn number(variable: &str, otherwise: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")),
        Err(_) => otherwise,
    }
}

/// In units of [`Budget::work`], three million of which are a second, about.
const DAILY_WORK: u64 = 60_000_000;
const CAMPAIGN_WORK: u64 = 180_000_000;
const ONE_ENGINE_WORK: u64 = 1_000_000;

/// The last guard, for what does not count its work: it should never strike.
const GUARD: Duration = Duration::from_secs(120);

/// What one program of `tests/programs` may use; `GNOMON_WORK` gives another number of units.
pub fn for_one_program() -> Budget {
    worth(if is_campaign() { CAMPAIGN_WORK } else { DAILY_WORK })
}

/// What one engine may use on one program, where engines are compared.
pub fn for_one_engine() -> Budget {
    worth(ONE_ENGINE_WORK)
}

fn worth(units: u64) -> Budget {
    Budget::unlimited().with_time(GUARD).with_work(number("GNOMON_WORK", units))
}

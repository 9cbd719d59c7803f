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

/// What one program of `tests/programs` may use.
pub fn for_one_program() -> Budget {
    let seconds = if is_campaign() { 60 } else { 10 };
    Budget::unlimited().with_time(Duration::from_secs(number("GNOMON_SECONDS", seconds)))
}

/// What one engine may use on one program, where engines are compared.
pub fn for_one_engine() -> Budget {
    Budget::unlimited().with_cpu_time(Duration::from_secs(number("GNOMON_SECONDS", 1)))
}

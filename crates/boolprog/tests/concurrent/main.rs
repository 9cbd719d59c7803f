//! Programs with threads: agreement with enumeration, models with known answers.

mod agreement;
mod models;

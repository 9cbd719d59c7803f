//! Programs with threads: agreement with enumeration, models with known answers, growth with threads.

mod agreement;
mod models;
mod scaling;

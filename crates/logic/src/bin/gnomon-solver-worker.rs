//! A process that does nothing but answer solver queries; see `gnomon_logic::solver::worker`.

fn main() {
    gnomon_logic::solver::worker::run_if_requested();
}

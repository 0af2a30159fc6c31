//! The program. What it does for which words is in `cli::run`, and all of it in the library.

fn main() {
    duke::run()
}

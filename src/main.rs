//! The program. Everything it does is in the library, starting at `cli::run`.

fn main() {
    duke::run()
}

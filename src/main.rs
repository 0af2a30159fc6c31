//! The program. All of its code is in the library, starting at `cli::run`.

fn main() {
    duke::run()
}

//! Entry point of the program. All other code is in the library, which exports `cli::run` as `duke::run`.

fn main() {
    duke::run()
}

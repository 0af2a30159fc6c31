//! The program. What it does for which words is in `cli::run`, and all of it in the library.

#[cfg(target_env = "musl")]
#[global_allocator]
static MEMORY: duke::platform::allocator::Cached = duke::platform::allocator::Cached;

fn main() {
    duke::run()
}

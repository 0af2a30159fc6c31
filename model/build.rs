//! Sets `cfg(loom)`, which compiles the program's sources for the model checker.

fn main() {
    println!("cargo:rustc-cfg=loom");
    println!("cargo:rustc-check-cfg=cfg(loom)");
}

//! Sets the `cfg` that tells the program's sources that they are modeled.

fn main() {
    println!("cargo:rustc-cfg=loom");
    println!("cargo:rustc-check-cfg=cfg(loom)");
}

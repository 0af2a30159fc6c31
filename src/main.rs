#![allow(missing_docs)]
fn main() {
    let s = duke::scan::Scan::run(std::env::args_os().skip(1).map(Into::into).collect(), Default::default());
    println!("{:?} {:?} {:?}", s.tree().totals(duke::tree::DirId::TOP), s.outcome(), s.elapsed());
    std::process::exit(0)
}

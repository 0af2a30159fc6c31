//! Creates the directory that docs/tour.md walks through: the files of a made-up laptop.
//!
//!     cargo run --example demo-tree -- DIR

mod tree;

use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use duke::base::os_error::io_error_text;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(path), None) = (arguments.next(), arguments.next()) else {
        eprintln!("demo-tree: needs one argument, the directory to create");
        return ExitCode::from(2);
    };
    let path = Path::new(&path);
    match tree::create(path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            eprintln!("demo-tree: {}: already exists; name a new directory", path.display());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("demo-tree: {}: cannot create: {}", path.display(), io_error_text(&error));
            ExitCode::FAILURE
        }
    }
}

//! The program: understand the command line, do the one thing it asks for, say how that went.

use duke::batch;
use duke::cli::{self, Environment, Request};

fn main() {
    let exit = match cli::request(std::env::args_os(), &Environment::of_process()) {
        Ok(Request::Browse { roots, scan, look }) => {
            let format = batch::Format::Table { depth: 1, look };
            batch::run(batch::Job { roots, scan, format, progress: batch::Progress::Shown(look.units) })
        }
        Ok(Request::Print(job)) => batch::run(job),
        Err(refusal) => refusal.answer(),
    };
    exit.end()
}

//! The program: understand the command line, do the one thing it asks for, say how that went.

use duke::batch;
use duke::cli::{self, Browse, Environment, Request};
use duke::exit::Exit;
use duke::message::{say, words};
use duke::scan::Scan;
use duke::ui::{self, Settings};

fn main() {
    let exit = match cli::request(std::env::args_os(), &Environment::of_process()) {
        Ok(Request::Browse(browse)) => run_browser(browse),
        Ok(Request::Print(job)) => batch::run(job),
        Err(refusal) => refusal.answer(),
    };
    exit.end()
}

fn run_browser(Browse { roots, scan, order, units, theme }: Browse) -> Exit {
    let scan = Scan::start(roots, scan);
    let ended = scan.and_then(|scan| {
        ui::run(&scan, &Settings::new(order, units, theme))?;
        // Dropping it would free the tree piece by piece, and the system is faster.
        Ok(Exit::of_roots(std::mem::ManuallyDrop::new(scan).tree()))
    });
    ended.unwrap_or_else(|error| {
        say(&words(&error));
        Exit::Incomplete
    })
}

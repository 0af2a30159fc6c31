//! The program: understand the command line, do the one thing it asks for, say how that went.

use duke::cli::{self, Environment, Request};
use duke::{batch, browse};

fn main() {
    let exit = match cli::request(std::env::args_os(), &Environment::of_process()) {
        Ok(Request::Browse(job)) => browse::run(*job),
        Ok(Request::Print(job)) => batch::run(job),
        Ok(Request::Compare(comparison)) => batch::compare(comparison),
        Ok(Request::Save(job)) => batch::save(job),
        Ok(Request::Describe(description)) => description.print(),
        Ok(Request::Answer(answer)) => answer.print(),
        Err(refusal) => refusal.answer(),
    };
    exit.end()
}

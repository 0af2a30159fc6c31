//! Tests of the engine, its formats and the command line, and checks of the conventions of this repository.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

#[path = "../program/mod.rs"]
mod program;
#[path = "../session/mod.rs"]
mod session;
#[path = "../support/mod.rs"]
mod support;

mod again;
mod alignment;
mod binary_export;
mod cli;
mod clock;
mod completions;
mod config;
mod duplicates;
mod examples;
mod exchange;
mod generated;
mod hostile;
mod job;
mod json;
mod kept_copies;
mod limits;
mod links;
mod lists;
mod merge;
mod naive_output;
mod peers;
mod planted;
mod platform;
mod readme;
mod recorded;
mod replaced;
mod rescan;
mod rules;
mod saving;
mod scan;
mod search;
mod snapshot;
mod streams;
mod totals;
mod wide;

//! Tests that need special privileges for namespaces, file-system images or fault injection. Without these
//! privileges, the tests are skipped.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

#[path = "../program/mod.rs"]
mod program;
#[path = "../session/mod.rs"]
mod session;
#[path = "../support/mod.rs"]
mod support;

mod compressed;
mod delete;
mod df;
mod exclusive;
mod faults;
mod frees;
mod guards;
mod hung;
mod lying;
mod mounts;
mod permission;
mod removal;
mod script;
mod share;
mod subvolumes;
mod trash;
mod unfinished;
mod volumes;

//! Tests of the browser: its screens, and whole sessions in pseudo-terminals.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

#[path = "../program/mod.rs"]
mod program;
#[path = "../session/mod.rs"]
mod session;
#[path = "../support/mod.rs"]
mod support;

mod growing;
mod preview;
mod pty;
mod random;
mod recorded;
mod screens;
mod suspend;
mod terminal;
mod theme;
mod tour;
mod type_ahead;

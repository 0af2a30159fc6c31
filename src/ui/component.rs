//! Interface of everything that gets keys and draws itself.

use std::fmt::Debug;

use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::answer_gate::AnswerGate;
use super::context::Context;
use super::hit_map::{Button, Canvas};
use super::keys::{Command, Scope};
use super::message::Effect;
use crate::delete::{OperationKind, Selection};
use crate::tree::Relocation;

/// Input that a component may handle.
#[derive(Clone, Copy, Debug)]
pub enum Input<'i> {
    /// Command, given with a key or with the mouse.
    Command(Command),
    /// Key where text is typed, with the command that it has there.
    Key(KeyEvent, Option<Command>),
    /// Pasted text.
    Paste(&'i str),
    /// Click on a row.
    Row(usize),
}

/// Result of handling an input.
#[derive(Debug)]
pub enum Handled {
    /// The component does not use the input.
    No,
    /// The component stays open.
    Yes(Option<Effect>),
    /// The component closes.
    Close(Option<Effect>),
    /// The component closes, and this operation must be confirmed.
    Confirm(OperationKind, Selection),
}

impl Handled {
    /// Returns the effect that the component requests.
    pub fn effect(self) -> Option<Effect> {
        match self {
            Self::No | Self::Confirm(..) => None,
            Self::Yes(effect) | Self::Close(effect) => effect,
        }
    }
}

/// Part of the browser with its own state, keys and drawing.
pub trait Component<'t>: Debug {
    /// Returns the scope whose key bindings apply.
    fn scope(&self) -> Scope;

    /// Handles an input.
    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled;

    /// Draws itself on a screen of this size.
    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>);

    /// Finds its entry again after a rescan. Returns `false` if the entry no longer exists.
    fn relocate(&mut self, _moved: &mut Relocation<'t>, _app: &mut Context<'t>) -> bool {
        true
    }

    /// Returns the line of the cursor and the number of lines, for the footer.
    fn position(&self) -> Option<(usize, usize)> {
        None
    }

    /// Returns the selected button.
    fn selected(&self) -> Option<Button> {
        None
    }

    /// Returns the gate that a Yes must pass.
    fn gate(&mut self) -> Option<&mut AnswerGate> {
        None
    }
}

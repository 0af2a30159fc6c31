//! Interface of the parts of the browser that handle input and draw themselves.

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

/// Input for a component.
#[derive(Clone, Copy, Debug)]
pub enum Input<'i> {
    /// Command from a key or the mouse.
    Command(Command),
    /// Key pressed in a text field, and the command that the key is bound to, if any.
    Key(KeyEvent, Option<Command>),
    Paste(&'i str),
    /// Click on the row with this index.
    Row(usize),
}

/// Result of handling an input.
#[derive(Debug)]
pub enum Handled {
    /// The component ignores the input.
    No,
    /// The component stays open, and may request an effect.
    Yes(Option<Effect>),
    /// The component closes, and may request an effect.
    Close(Option<Effect>),
    /// The component closes, and this operation must be confirmed.
    Confirm(OperationKind, Selection),
}

impl Handled {
    /// Returns the effect that the component requests, if any.
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

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled;

    /// Draws the component on a screen of this size.
    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>);

    /// Returns `true` if the component is drawn beside the view in a wide window.
    fn goes_beside(&self) -> bool {
        false
    }

    /// Finds the component's entry again after a rescan. Returns `false` if the entry no longer exists.
    fn relocate(&mut self, _moved: &mut Relocation<'t>, _app: &mut Context<'t>) -> bool {
        true
    }

    /// Returns the index of the cursor line and the number of lines, for the footer; `None` if there is no
    /// cursor.
    fn position(&self) -> Option<(usize, usize)> {
        None
    }

    /// Returns the selected button; `None` if there are no buttons.
    fn selected(&self) -> Option<Button> {
        None
    }

    /// Returns the gate that rejects a Yes given too early; `None` if the component asks no question.
    fn gate(&mut self) -> Option<&mut AnswerGate> {
        None
    }
}

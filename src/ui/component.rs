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

#[derive(Clone, Copy, Debug)]
pub enum Input<'i> {
    Command(Command),
    /// Key pressed in a text field, and the command that the key is bound to, if any.
    Key(KeyEvent, Option<Command>),
    Paste(&'i str),
    /// Click on the row with this index.
    Row(usize),
}

#[derive(Debug)]
pub enum Handled {
    /// The component does not handle this input.
    No,
    /// The component handled the input and stays open.
    Yes(Option<Effect>),
    /// The component closes.
    Close(Option<Effect>),
    /// The component closes, and the user is asked to confirm this operation.
    Confirm(OperationKind, Selection),
}

impl Handled {
    pub fn effect(self) -> Option<Effect> {
        match self {
            Self::No | Self::Confirm(..) => None,
            Self::Yes(effect) | Self::Close(effect) => effect,
        }
    }
}

/// Part of the browser that has its own state, handles input, and draws itself.
pub trait Component<'t>: Debug {
    fn scope(&self) -> Scope;

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled;

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>);

    /// Returns `true` if the component is drawn beside the view when the window is wide.
    fn goes_beside(&self) -> bool {
        false
    }

    /// Finds the component's entry again after a rescan. Returns `false` if the entry no longer exists.
    fn relocate(&mut self, _moved: &mut Relocation<'t>, _app: &mut Context<'t>) -> bool {
        true
    }

    /// Returns the index of the cursor line and the total number of lines; `None` without a cursor. The status line
    /// shows this position.
    fn position(&self) -> Option<(usize, usize)> {
        None
    }

    /// Returns `false` if the command would have no effect now. The status line then shows no hint for it.
    fn is_useful(&self, _command: Command) -> bool {
        true
    }

    /// Returns the selected button; `None` if there are no buttons.
    fn selected(&self) -> Option<Button> {
        None
    }

    /// Returns the gate that rejects a Yes given too early; `None` if the component does not ask a question.
    fn gate(&mut self) -> Option<&mut AnswerGate> {
        None
    }
}

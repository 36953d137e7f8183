//! The engine's buttons as Discord's rows of buttons and menus. Pure.

use pensive_contract::outward::Button;
use serenity::builder::CreateActionRow;

/// The rows below a message; none where there is nothing to press.
pub(crate) fn rows(_buttons: &[Button]) -> Vec<CreateActionRow> {
    Vec::new()
}

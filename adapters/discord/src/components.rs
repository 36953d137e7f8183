//! Buttons and select menus under a message. Pure.

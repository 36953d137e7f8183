//! The slash commands as Discord shows them, published when they have changed.

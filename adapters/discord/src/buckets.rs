//! The limits that Discord tells with each answer. Pure.

//! There and back: bodies against the vendor's types, answers as servers write them, and that what was heard goes back.

mod answers;
mod bodies;
mod calls;

//! What a model writes, before a channel gives it its own form: Markdown is read once and becomes text and marks, tables
//! become lines of fixed width, what breaks off is closed, what reads from the right is guided, what shows nothing is known as
//! such. Pure and linear in the length of the text. How long a message may be, and what a style looks like on the wire, is for
//! the channels to know.

mod styled;

mod control;
mod partial;

mod dialect;
mod markdown;
mod page;
mod table;

mod bidi;

mod answer;

mod cuts;
mod units;
mod visible;

pub use answer::{answer, in_the_making, thinking};
pub use bidi::reads_right;
pub use control::without_tags;
pub use cuts::{ends_sentence, floor, is_boundary, sentence_ends};
pub use dialect::{Dialect, Quotes, Shapes, Spoilers};
pub use partial::{closed, end, open_fence};
pub use styled::{Lead, LeadKind, Styled};
pub use units::length;
pub use visible::is_visible;

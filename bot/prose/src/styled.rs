//! A text with its styles and with the lines that a platform draws itself.

use std::ops::Range;

use pensive_contract::outward::Mark;

/// A text of any length with its styles, outermost first where two begin together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Styled {
    /// What is read.
    pub text: String,
    /// How.
    pub marks: Vec<Mark>,
    /// Items and headings by their places, where the dialect has them [marked](crate::Shapes::Marked).
    pub leads: Vec<Lead>,
}

/// A stretch that the platform draws as an item of a list or a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lead {
    /// Where: of an item only its label, of a heading all of it.
    pub range: Range<usize>,
    /// As what.
    pub kind: LeadKind,
}

/// What a platform draws itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadKind {
    /// The label of an item: a hyphen or a number with a full stop, and a blank.
    Item,
    /// A heading of this level, 1 to 3.
    Heading(u8),
}

impl Styled {
    /// A text without styles.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Whether its first line has to begin a line of the page.
    pub(crate) fn begins_with_block(&self) -> bool {
        use pensive_contract::outward::Style;
        let is_block =
            |mark: &Mark| mark.range.start == 0 && matches!(mark.style, Style::Pre { .. } | Style::Quote);
        self.marks.iter().any(is_block) || self.leads.iter().any(|lead| lead.range.start == 0)
    }

    /// Adds `more` behind what is there.
    pub(crate) fn append(&mut self, more: Self) {
        let by = self.text.len();
        self.text.push_str(&more.text);
        let moved = |range: Range<usize>| range.start + by..range.end + by;
        self.marks.extend(more.marks.into_iter().map(|mark| Mark { range: moved(mark.range), ..mark }));
        self.leads.extend(more.leads.into_iter().map(|lead| Lead { range: moved(lead.range), ..lead }));
    }
}

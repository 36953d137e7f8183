//! What a channel can show, as far as the layout depends on it.

/// How a text is laid out for a channel.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// Who draws lists and headings.
    pub shapes: Shapes,
    /// Whether quotations are marked.
    pub quotes: Quotes,
    /// What two bars around a word mean.
    pub spoilers: Spoilers,
    /// Whether the platform takes an address, the first, behind these words; where not, it is spelled out.
    pub is_link: fn(&str, &str) -> bool,
}

/// Who draws lists and headings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shapes {
    /// We do, by bullets of our own and bold lines.
    Drawn,
    /// The platform; where they are stands in [`Styled::leads`](crate::Styled::leads).
    Marked,
}

/// Whether quotations are marked; inside a text that is quoted as a whole they cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// As quotations.
    Marked,
    /// Not at all.
    Unmarked,
}

/// What two bars around a word mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoilers {
    /// Two bars.
    Text,
    /// That it is hidden until touched.
    Hidden,
}

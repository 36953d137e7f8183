//! Which Claude a name means, as far as thinking goes: each generation takes other fields.

/// A generation of Claude models, by the table of accepted thinking settings in Anthropic's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Up to 4.5: budgets only.
    Budgets,
    /// 4.6: budgets and adaptive.
    Both,
    /// 4.7 and 4.8: adaptive only, off by itself, thoughts unseen unless asked for.
    Adaptive,
    /// From 5 on: adaptive only and by itself, thoughts unseen unless asked for.
    ThinksByItself,
    /// The same, and only between tools where it does not think before an answer: Sonnet 5.5.
    BetweenTools,
    /// The same, and never off: Opus 5.5, Fable, Mythos.
    AlwaysThinks,
    /// Another vendor's model behind Anthropic's shape, with rules of its own.
    Foreign,
}

/// Parts of names, the first that is found decides.
const NAMES: [(&str, Family); 19] = [
    ("claude-opus-4-7", Family::Adaptive),
    ("claude-opus-4-8", Family::Adaptive),
    ("claude-opus-4-6", Family::Both),
    ("claude-sonnet-4-6", Family::Both),
    ("claude-opus-4", Family::Budgets),
    ("claude-sonnet-4", Family::Budgets),
    ("claude-haiku-4", Family::Budgets),
    ("claude-3", Family::Budgets),
    ("claude-opus-5-5", Family::AlwaysThinks),
    ("claude-sonnet-5-5", Family::BetweenTools),
    ("claude-opus-", Family::ThinksByItself),
    ("claude-sonnet-", Family::ThinksByItself),
    ("claude-haiku-", Family::ThinksByItself),
    ("claude-fable", Family::AlwaysThinks),
    ("claude-mythos", Family::AlwaysThinks),
    ("claude-2", Family::Budgets),
    ("claude-instant", Family::Budgets),
    ("claude-1", Family::Budgets),
    ("claude", Family::ThinksByItself),
];

impl Family {
    /// The family of a model, dots and dashes alike.
    pub(crate) fn of(model: &str) -> Self {
        let model = model.replace('.', "-");
        let found = NAMES.iter().find(|(part, _)| model.contains(part));
        found.map_or(Self::Foreign, |(_, family)| *family)
    }

    /// Thoughts come without their text unless `display` says otherwise, and there is no sampling to be set.
    pub(crate) fn thinks_unseen(self) -> bool {
        !self.takes_budgets()
    }

    /// `thinking.type: enabled` is taken.
    pub(crate) fn takes_budgets(self) -> bool {
        match self {
            Self::Budgets | Self::Both | Self::Foreign => true,
            Self::Adaptive | Self::ThinksByItself | Self::BetweenTools | Self::AlwaysThinks => false,
        }
    }

    /// Without a word about it the model thinks.
    pub(crate) fn thinks_unasked(self) -> bool {
        match self {
            Self::ThinksByItself | Self::BetweenTools | Self::AlwaysThinks => true,
            Self::Budgets | Self::Both | Self::Adaptive | Self::Foreign => false,
        }
    }

    /// A conversation may end with the beginning of the answer.
    pub(crate) fn takes_prefill(self) -> bool {
        matches!(self, Self::Budgets | Self::Foreign)
    }

    /// `thinking.type: adaptive` is taken.
    pub(crate) fn takes_adaptive(self) -> bool {
        self != Self::Budgets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_family() {
        let check = |model: &str, expected| assert_eq!(Family::of(model), expected, "{model}");
        check("claude-opus-4-5-20251101", Family::Budgets);
        check("claude-sonnet-4-20250514", Family::Budgets);
        check("claude-3-7-sonnet-latest", Family::Budgets);
        check("anthropic/claude-sonnet-4.6", Family::Both);
        check("claude-opus-4-8", Family::Adaptive);
        check("claude-opus-5", Family::ThinksByItself);
        check("claude-sonnet-5-5", Family::BetweenTools);
        check("claude-fable-5-1", Family::AlwaysThinks);
        check("MiniMax-M2.7", Family::Foreign);
    }
}

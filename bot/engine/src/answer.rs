//! What a run came to: what is shown and kept of it, and what it used.

use std::time::Duration;

use pensive_contract::model::{ModelRef, Price, PromptTurn, TokenUsage};

use crate::trace;

/// What a run ended with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// The answer's words.
    pub(crate) text: String,
    /// Whether they are still to be sent.
    pub(crate) told: Told,
    /// Why they end where they end, where that is not for the model to say.
    pub(crate) coda: Option<&'static str>,
    /// What the model thought before it answered, where that is to be shown.
    pub(crate) thinking: Option<String>,
    /// What was said and done, oldest first, for the transcript.
    pub(crate) turns: Vec<PromptTurn>,
    /// What the person is to know before they read the answer.
    pub(crate) notes: Vec<String>,
    /// The line about the last call that came to nothing, where nothing made it good.
    pub(crate) failing: Option<String>,
    /// What the run tells of itself.
    pub(crate) trace: trace::Log,
    /// Who gave it.
    pub(crate) model: ModelRef,
    /// The level of the last call, as the model's profile calls it.
    pub(crate) level: String,
    /// The lane of the last call, where it was not the usual one.
    pub(crate) tier: Option<String>,
    pub(crate) spent: Spent,
    pub(crate) first_token: Option<Duration>,
    pub(crate) took: Duration,
}

/// Whether a person has the words of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// They are to be sent.
    NotYet,
    /// The run has sent them, or others in their place, by a tool.
    ByTool,
}

/// What calls used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Spent {
    /// All tokens.
    pub(crate) usage: TokenUsage,
    /// What they cost, in millionths of a US dollar, as far as prices are known.
    pub(crate) cost: u64,
    /// What the last call that told it took of the context, in tokens.
    pub(crate) context: Option<u64>,
}

impl Spent {
    /// Adds what others used for this run; it is in their context.
    pub(crate) fn also(&mut self, other: Self) {
        self.usage = self.usage.plus(other.usage);
        self.cost = self.cost.saturating_add(other.cost);
    }

    /// Adds one call.
    pub(crate) fn add(&mut self, usage: TokenUsage, price: Option<Price>) {
        self.usage = self.usage.plus(usage);
        self.cost = self.cost.saturating_add(price.map_or(0, |price| cost(usage, price)));
        if usage.input > 0 {
            self.context = Some(usage.input.saturating_add(usage.output));
        }
    }
}

/// The cost of one call in millionths of a US dollar: prices are in dollars for a million tokens.
fn cost(usage: TokenUsage, price: Price) -> u64 {
    let fresh = usage.input.saturating_sub(usage.cached);
    let parts = [(fresh, price.input), (usage.cached, price.cached), (usage.output, price.output)];
    #[expect(clippy::cast_precision_loss, reason = "no call has so many tokens")]
    let sum: f64 = parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    let whole = sum.round() as u64;
    whole
}

/// Millionths of a US dollar as people read them; nothing where nothing is known.
pub(crate) fn dollars(cost: u64) -> Option<String> {
    match cost {
        0 => None,
        1..100 => Some("under $0.0001".to_owned()),
        _ => {
            let ten_thousandths = cost.saturating_add(50) / 100;
            Some(format!("${}.{:04}", ten_thousandths / 10_000, ten_thousandths % 10_000))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_have_their_own_price_and_thought_is_output() {
        let price = Price { input: 2.0, cached: 0.2, output: 10.0 };
        let usage = TokenUsage { input: 1_000, cached: 400, output: 300, reasoning: 200 };
        assert_eq!(cost(usage, price), 1_200 + 80 + 3_000);
        assert_eq!(cost(TokenUsage { input: 1, cached: 5, output: 0, reasoning: 0 }, price), 1);
    }

    #[test]
    fn a_run_costs_what_its_calls_cost_and_fills_what_the_last_one_filled() {
        let price = Some(Price { input: 1.0, cached: 0.1, output: 2.0 });
        let usage = |input, output| TokenUsage { input, output, ..TokenUsage::default() };
        let mut spent = Spent::default();
        spent.add(usage(10, 5), price);
        spent.add(usage(30, 7), None);
        spent.add(TokenUsage::default(), price);
        assert_eq!(spent, Spent { usage: usage(40, 12), cost: 20, context: Some(37) });
    }

    #[test]
    fn money_reads_well() {
        let check = |cost, text: &str| assert_eq!(dollars(cost).as_deref(), Some(text), "{cost}");
        assert_eq!(dollars(0), None);
        check(99, "under $0.0001");
        check(12_345, "$0.0123");
        check(12_350, "$0.0124");
        check(999_950, "$1.0000");
        check(123_450_000, "$123.4500");
    }
}

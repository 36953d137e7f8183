//! What the engine must be told: values that are already checked, in the engine's own words.

use std::collections::BTreeMap;
use std::time::Duration;

use pensive_contract::ids::{Account, AgentId, ChannelName};
use pensive_contract::inbound::ChatKind;
use pensive_contract::model::{ModelRef, Params};
use pensive_directives::{Fast, Level, QueueMode, Reasoning, Source, Verbose};

/// Everything the engine is told at its start.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// The program's version, for `/status`.
    pub version: String,
    /// The agents; never empty, the first is the default one unless a binding says otherwise.
    pub agents: Vec<AgentSettings>,
    /// Which agent serves which conversation, most specific first.
    pub bindings: Vec<Binding>,
    /// Defaults that hold for every agent.
    pub global: DirectiveDefaults,
    /// Parameters of models, shared by all agents, by `provider/model`.
    pub params: BTreeMap<String, ModelParams>,
    /// Who owns this installation: `channel:sender`, matched exactly.
    pub owners: Vec<String>,
    /// Who may use directives and commands, by channel (`*` for all); nothing set leaves it to the channel's policy.
    pub commands: Option<BTreeMap<String, Vec<String>>>,
    /// The doors, one for each account. An account without one admits everybody it hands in (a local login).
    pub doors: BTreeMap<Account, Door>,
    /// How direct messages are kept apart.
    pub dm_scope: DmScope,
    /// Whether overrides in a shared chat belong to their sender or to the session.
    pub override_scope: OverrideScope,
    /// Linked identities: a common name to its `channel:sender` forms.
    pub identity_links: BTreeMap<String, Vec<String>>,
    /// How often one sender may write.
    pub rate: Option<Rate>,
    /// Runs at the same time, over all sessions.
    pub max_concurrent: usize,
    /// Put before every answer; empty for nothing.
    pub response_prefix: String,
    /// How long a run may take in all.
    pub run_limit: Duration,
    /// What becomes of messages that come during a run, where nobody said otherwise.
    pub queue: QueueRules,
    /// How answers are shown while they are made, by account; where nothing stands, as [`Streaming`] has it by default.
    pub streaming: BTreeMap<Account, Streaming>,
    /// The person's own folder, which bubbles show as `~`; empty where there is none.
    pub home: String,
}

/// What becomes of messages that come during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueRules {
    /// How they meet it.
    pub mode: QueueMode,
    /// How long it must be quiet before collected messages run.
    pub quiet: Duration,
    /// How many may wait.
    pub cap: usize,
    /// How long any text waits for its continuation; zero for not at all.
    pub debounce: Duration,
}

impl Default for QueueRules {
    fn default() -> Self {
        Self { mode: QueueMode::Steer, quiet: Duration::from_millis(500), cap: 20, debounce: Duration::ZERO }
    }
}

/// One agent.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// Its name.
    pub id: AgentId,
    /// The model it uses.
    pub model: ModelRef,
    /// Who says that it uses this one.
    pub model_source: Source,
    /// The models that stand in when that one fails, in order.
    pub fallbacks: Vec<ModelRef>,
    /// The system prompt; empty for none.
    pub prompt: String,
    /// Its own defaults.
    pub defaults: DirectiveDefaults,
    /// Its own parameters of models, by `provider/model`.
    pub params: BTreeMap<String, ModelParams>,
    /// Which tools it has.
    pub tools: ToolRules,
    /// How its bubbles show commands.
    pub tool_detail: ToolDetail,
}

/// Which tools an agent has: none that is not allowed, and none that is denied. A `*` at the end of a name stands for
/// whatever follows, so that `*` is all of them and `notes__*` all of one server's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolRules {
    /// Those that it has.
    pub allowed: Vec<String>,
    /// Those that it has not, whatever is allowed.
    pub denied: Vec<String>,
}

impl ToolRules {
    /// Whether the agent has the tool of this name.
    #[must_use]
    pub fn allow(&self, name: &str) -> bool {
        let fits = |known: &String| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => known == name,
        };
        let named = |names: &[String]| names.iter().any(fits);
        named(&self.allowed) && !named(&self.denied)
    }
}

/// Configured starting values of directives; nothing where nothing is configured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DirectiveDefaults {
    /// How hard the model thinks.
    pub think: Option<Level>,
    /// Fast lane.
    pub fast: Option<Fast>,
    /// Tool bubbles.
    pub verbose: Option<Verbose>,
    /// Reasoning shown.
    pub reasoning: Option<Reasoning>,
}

impl DirectiveDefaults {
    /// Nothing configured.
    pub const NONE: Self = Self { think: None, fast: None, verbose: None, reasoning: None };
}

/// Parameters of one model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelParams {
    /// How hard it thinks.
    pub think: Option<Level>,
    /// Fast lane.
    pub fast: Option<Fast>,
    /// How old a run may be, in seconds, for `auto` to call fast.
    pub fast_cutoff_seconds: Option<u32>,
    /// What goes into every call.
    pub call: Params,
}

/// Sends matching conversations to an agent. Absent fields match everything.
#[derive(Debug, Clone)]
pub struct Binding {
    /// The agent.
    pub agent: AgentId,
    /// Only this channel.
    pub channel: Option<ChannelName>,
    /// Only this account of it.
    pub account: Option<String>,
    /// Only this community.
    pub space: Option<String>,
    /// Only this kind of conversation.
    pub kind: Option<ChatKind>,
    /// Only this peer: a sender in direct messages, a chat otherwise.
    pub peer: Option<String>,
    /// Only this topic or thread.
    pub topic: Option<String>,
}

/// Who may come in through one account. Closed unless said otherwise; ids match exactly. A list of people may also hold
/// `role:` and the id of a role of the community where they speak.
#[derive(Debug, Clone, Default)]
pub struct Door {
    /// For direct messages.
    pub direct: DirectPolicy,
    /// Who is admitted to direct messages; `*` is everybody, where the policy is open.
    pub allow_from: Vec<String>,
    /// For groups and channels.
    pub group: GroupPolicy,
    /// Rules by chat id; `*` for all others.
    pub groups: BTreeMap<String, GroupRule>,
    /// Rules for all chats of a community, by its id; `*` for all others. What differs in single chats or threads of it
    /// stands under their ids, as topics do.
    pub spaces: BTreeMap<String, GroupRule>,
    /// Who is admitted in groups; nothing set means as in direct messages.
    pub group_allow_from: Option<Vec<String>>,
    /// Rules for direct chats, by sender id; `*` for all others.
    pub directs: BTreeMap<String, ChatRule>,
}

/// Whom direct messages are open to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DirectPolicy {
    /// Those on the list, and newcomers that an owner approves.
    #[default]
    Pairing,
    /// Those on the list.
    Allowlist,
    /// Everybody, with `*` on the list.
    Open,
    /// Nobody.
    Disabled,
}

/// Whom groups are open to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupPolicy {
    /// The groups that have a rule, and in them those on the list.
    #[default]
    Allowlist,
    /// Every group, everybody.
    Open,
    /// No group.
    Disabled,
}

/// The rule of one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRule {
    /// Whether a message must be addressed to the bot.
    pub mention: MentionRule,
    /// Whether a bare command counts as addressed.
    pub bare_commands: bool,
    /// Who may speak here; nothing set means as in the account.
    pub allow_from: Option<Vec<String>>,
    /// Whether reasoning may be shown here.
    pub reasoning: bool,
    /// What else holds here.
    pub chat: ChatRule,
}

impl GroupRule {
    /// The rule of a group that none is written for.
    pub const UNLISTED: Self = Self {
        mention: MentionRule::Required,
        bare_commands: true,
        allow_from: None,
        reasoning: false,
        chat: ChatRule { defaults: DirectiveDefaults::NONE, prompt: String::new(), topics: BTreeMap::new() },
    };
}

/// What holds in one chat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatRule {
    /// Starting values of directives here.
    pub defaults: DirectiveDefaults,
    /// Put behind the agent's prompt here; empty for nothing.
    pub prompt: String,
    /// What differs in single topics or threads, by id.
    pub topics: BTreeMap<String, TopicRule>,
}

/// What differs in one topic or thread. Who may speak and how is a question for groups only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TopicRule {
    /// Whether a message must be addressed to the bot.
    pub mention: Option<MentionRule>,
    /// Who may speak here.
    pub allow_from: Option<Vec<String>>,
    /// Starting values of directives here.
    pub defaults: DirectiveDefaults,
    /// Put behind the prompt here; empty for nothing.
    pub prompt: String,
}

/// Whether a message in a group must be addressed to the bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MentionRule {
    /// It must.
    Required,
    /// Every message is taken.
    Free,
}

/// How an answer is shown while it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Streaming {
    /// Not at all.
    Off,
    /// The text so far.
    #[default]
    Partial,
    /// The same, grown by whole blocks.
    Block,
    /// What goes on, in a line for each tool; the answer comes as a message of its own.
    Progress,
}

/// How a bubble shows a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolDetail {
    /// By what it does.
    #[default]
    Explain,
    /// The same, and the command itself.
    Raw,
}

/// How direct messages are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DmScope {
    /// One session for all of them.
    Main,
    /// One for each person, over all channels, by identity links.
    PerPeer,
    /// One for each person on each channel.
    #[default]
    PerChannelPeer,
    /// One for each person on each account.
    PerAccountChannelPeer,
}

/// To whom an override in a shared chat belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OverrideScope {
    /// To whoever set it.
    #[default]
    Sender,
    /// To everybody in the session.
    Session,
}

/// How often one sender may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Messages a minute in the long run.
    pub per_minute: u32,
    /// Messages at once.
    pub burst: u32,
}

"""What vendors other than the owner of a shape put into its bodies, each with the reason and where it is documented."""

from typing import Literal, NamedTuple

from typing_extensions import Required, TypedDict


class Dialect(NamedTuple):
    """A fault that is none: in bodies of this shape for models whose name fits, a value of this type may stand at this place."""

    shape: str
    path: str
    models: str
    value: object
    reason: str
    source: str


class Switch(TypedDict):
    type: Literal["enabled", "disabled"]


class Reasoning(TypedDict, total=False):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"]
    enabled: bool


class Detail(TypedDict, total=False):
    type: Required[Literal["reasoning.text", "reasoning.summary", "reasoning.encrypted"]]
    text: str | None
    summary: str
    data: str
    signature: str | None
    id: str | None
    format: str | None
    index: int


class Signature(TypedDict):
    thought_signature: str


class Google(TypedDict):
    google: Signature


DEEPSEEK = "https://api-docs.deepseek.com/guides/thinking_mode"
OPENROUTER = "https://openrouter.ai/docs/use-cases/reasoning-tokens"
# Names with a vendor before them are OpenRouter's.
ROUTED = "[^/]+/.+"

TABLE: list[Dialect] = [
    Dialect("chat", "thinking", "deepseek-.*", Switch, "DeepSeek's switch", DEEPSEEK),
    Dialect(
        "chat",
        "messages[].reasoning_content",
        "deepseek-.*",
        str,
        "DeepSeek wants the reasoning of a turn that called tools back, be it empty",
        DEEPSEEK,
    ),
    Dialect("chat", "thinking", "glm-.*", Switch, "Z.AI's switch", "https://docs.z.ai/guides/capabilities/thinking-mode"),
    Dialect(
        "chat", "thinking", r"kimi-k2\..*", Switch, "Moonshot's switch", "https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model"
    ),
    Dialect(
        "chat", "enable_thinking", "qwen.*", bool, "DashScope's switch", "https://www.alibabacloud.com/help/en/model-studio/deep-thinking"
    ),
    Dialect("chat", "reasoning", ROUTED, Reasoning, "OpenRouter's one object for every vendor's switch", OPENROUTER),
    Dialect("chat", "messages[].reasoning_details", ROUTED, list[Detail], "OpenRouter wants its list back as it came", OPENROUTER),
    Dialect(
        "chat",
        "messages[].tool_calls[].extra_content",
        "gemini-.*",
        Google,
        "Gemini's signature of a call, through its compatible API",
        "https://ai.google.dev/gemini-api/docs/thought-signatures",
    ),
]

"""What vendors other than the owner of a shape put into its bodies, each with the reason and where it is documented."""

from typing import Annotated, Literal, NamedTuple

from pydantic import StringConstraints
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


Base64 = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]+={0,2}$")]

DEEPSEEK = "https://api-docs.deepseek.com/guides/thinking_mode"
ZAI = "https://docs.z.ai/guides/capabilities/thinking-mode"
MOONSHOT = "https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model"
DASHSCOPE = "https://www.alibabacloud.com/help/en/model-studio/deep-thinking"
MINIMAX = "https://platform.minimax.io/docs/api-reference/text-anthropic-api"
VERSIONS = "https://platform.claude.com/docs/en/api/versioning"
OPENAI = "https://platform.openai.com/docs/api-reference/chat/create"
OPENROUTER = "https://openrouter.ai/docs/use-cases/reasoning-tokens"
# Names with a vendor before them are OpenRouter's.
ROUTED = "[^/]+/.+"
OLDER_CLAUDE = r"claude-(haiku|opus|sonnet)-4-[0-6]\b.*"
NO_SAMPLING = "the library speaks version 2026-10-21, which has no sampling; we say 2023-06-01, where models up to 4.6 take it"
SAMPLING = ("temperature", "top_p")
SCHEMA = "parameters are a JSON Schema, of which the library's class has the words that Ollama itself reads"
TOOL_CALLING = "https://docs.ollama.com/capabilities/tool-calling"
THOUGHTS = "messages[].reasoning_content"

TABLE: list[Dialect] = [
    Dialect("chat", "thinking", "deepseek-.*", Switch, "DeepSeek's switch", DEEPSEEK),
    # `thinker` is the tests' name for what stands behind a proxy.
    Dialect(
        "chat", THOUGHTS, "deepseek-.*|thinker", str, "DeepSeek wants the reasoning of a turn that called tools back, be it empty", DEEPSEEK
    ),
    Dialect("chat", "thinking", "glm-.*", Switch, "Z.AI's switch", ZAI),
    Dialect("chat", THOUGHTS, "glm-.*", str, "Z.AI thinks on between calls where it gets its thoughts back", ZAI),
    Dialect("chat", "thinking", r"kimi-k2\..*", Switch, "Moonshot's switch", MOONSHOT),
    Dialect("chat", THOUGHTS, "kimi-.*", str, "Moonshot wants the reasoning of all turns kept in a loop of calls", MOONSHOT),
    # `switch` is the tests' name for a model whose owner says that it has this one.
    Dialect("chat", "enable_thinking", "qwen.*|switch", bool, "DashScope's switch", DASHSCOPE),
    # `thinker-1` is the tests' name for a model whose owner says that it has this object.
    Dialect("chat", "reasoning", ROUTED + "|thinker-1", Reasoning, "OpenRouter's one object for every vendor's switch", OPENROUTER),
    Dialect("chat", "messages[].reasoning_details", ROUTED, list[Detail], "OpenRouter wants its list back as it came", OPENROUTER),
    Dialect(
        "chat",
        "messages[].tool_calls[].extra_content",
        # Whoever signed a call in this way gets it back; the fake signs for every model.
        ".*",
        Google,
        "Gemini's signature of a call, through its compatible API",
        "https://ai.google.dev/gemini-api/docs/thought-signatures",
    ),
    Dialect(
        "chat", "reasoning_effort", "gpt-5.2", Literal["utmost"], "an owner's own word for a level, where a test configures one", OPENAI
    ),
    Dialect(
        "ollama",
        "tools[].function.parameters.additionalProperties",
        ".*",
        bool,
        SCHEMA,
        TOOL_CALLING,
    ),
    *(
        Dialect("ollama", f"tools[].function.parameters.properties.*.{bound}", ".*", int, SCHEMA, TOOL_CALLING)
        for bound in ("minimum", "maximum")
    ),
    Dialect(
        "ollama",
        "messages[].images[]",
        ".*",
        Base64,
        "the library has a class for pictures, which writes itself as this",
        "https://docs.ollama.com/capabilities/vision",
    ),
    *(Dialect("anthropic", field, OLDER_CLAUDE, float, NO_SAMPLING, VERSIONS) for field in SAMPLING),
    *(Dialect("anthropic", field, "MiniMax-.*", float, "MiniMax takes sampling values", MINIMAX) for field in SAMPLING),
]

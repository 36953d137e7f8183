"""The official anthropic SDK against the model fake: blocks, thoughts with their signatures, tools, and what goes wrong."""

import asyncio
import sys
import warnings

import anthropic
import bench
from bench import check, equal, raises

# Models with budgets are old ones.
warnings.simplefilter("ignore", DeprecationWarning)
URL = sys.argv[3].removesuffix("/v1")
model = bench.Control(URL)
client = anthropic.Anthropic(base_url=URL, api_key="sk-fake", max_retries=0, timeout=10)
HELLO = [{"role": "user", "content": "hello you"}]
TOOLS = [{"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}}]
BUDGET = {"type": "enabled", "budget_tokens": 2048}
USAGE = {"input": 9, "cached": 2, "output": 5, "reasoning": 3}


def play(*steps, **rest):
    model.play(script={"steps": list(steps), **rest})


def ask(messages=HELLO, **rest):
    return client.messages.create(**{"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": messages, **rest})


def accumulated(messages=HELLO, **rest):
    fields = {"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": messages, **rest}
    with client.messages.stream(**fields) as stream:
        kinds = [event.type for event in stream]
        return kinds, stream.get_final_message()


def results(answer):
    calls = [block for block in answer.content if block.type == "tool_use"]
    content = [{"type": "tool_result", "tool_use_id": call.id, "content": f"saw {call.input['q']}"} for call in calls]
    return {"role": "user", "content": content}


@check("models are listed")
def models():
    assert "gpt-5.6-sol" in [entry.id for entry in client.models.list()]


@check("whole: text, usage, end of turn")
def whole():
    play({"text": "hel"}, {"text": "lo"}, usage=USAGE)
    answer = ask(system="be kind")
    equal([block.type for block in answer.content], ["text"])
    equal((answer.content[0].text, answer.stop_reason, answer.type), ("hello", "end_turn", "message"))
    usage = answer.usage
    equal((usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens), (7, 2, 5))
    equal(usage.output_tokens_details.thinking_tokens, 3)
    equal((model.requests()[-1]["shape"], model.requests()[-1]["path"]), ("anthropic", "/v1/messages"))


@check("streamed: every event, thought, signature, text, usage")
def streamed():
    play({"reasoning": "h"}, {"reasoning": "m"}, {"text": "hel"}, {"text": "lo"}, usage=USAGE)
    events = list(ask(thinking=BUDGET, stream=True))
    kinds = [event.type for event in events]
    expected = ["message_start", "content_block_start", *["content_block_delta"] * 3, "content_block_stop"]
    expected += ["content_block_start", *["content_block_delta"] * 2, "content_block_stop", "message_delta", "message_stop"]
    equal(kinds, expected)
    deltas = [event.delta.type for event in events if event.type == "content_block_delta"]
    equal(deltas, ["thinking_delta", "thinking_delta", "signature_delta", "text_delta", "text_delta"])
    equal((events[0].message.usage.input_tokens, events[-2].usage.output_tokens), (7, 5))
    equal(events[-2].delta.stop_reason, "end_turn")


@check("accumulated by the SDK: two thoughts, a redacted one, given and made signatures")
def thoughts():
    play({"reasoning": "a"}, {"signature": "U2VhbA=="}, {"redacted": "EmwK"}, {"reasoning": "b"}, "new_thought", {"reasoning": "c"}, {"text": "d"})
    _, answer = accumulated(thinking=BUDGET)
    equal([block.type for block in answer.content], ["thinking", "redacted_thinking", "thinking", "thinking", "text"])
    first, hidden, second, third, text = answer.content
    equal((first.thinking, first.signature, hidden.data), ("a", "U2VhbA==", "EmwK"))
    equal((second.thinking, third.thinking, text.text), ("b", "c", "d"))
    assert second.signature and third.signature and second.signature != third.signature
    # Replayed as they came, all of them are taken; altered ones are not.
    play({"text": "fine"})
    history = [*HELLO, {"role": "assistant", "content": answer.content}, {"role": "user", "content": "and?"}]
    equal(ask(history, thinking=BUDGET).content[0].text, "fine")
    altered = [block.model_dump() for block in answer.content]
    altered[0]["thinking"] = "z"
    history[1] = {"role": "assistant", "content": altered}
    raises(anthropic.BadRequestError, lambda: ask(history, thinking=BUDGET), "Invalid `signature` in `thinking` block")


@check("thoughts are left out where the model or the request says so; the signature is not")
def omitted():
    for fields in ({"model": "claude-opus-4-8"}, {"model": "claude-opus-4-6", "thinking": {"type": "adaptive", "display": "omitted"}}):
        play({"reasoning": "hm"}, {"text": "a"})
        answer = ask(**{"thinking": {"type": "adaptive"}, **fields})
        equal((answer.content[0].type, answer.content[0].thinking), ("thinking", ""))
        assert answer.content[0].signature
    play({"reasoning": "hm"}, {"text": "a"})
    answer = ask(model="claude-opus-4-8", thinking={"type": "adaptive", "display": "summarized"}, output_config={"effort": "max"})
    equal(answer.content[0].thinking, "hm")


@check("a tool call there and back, with its thought")
def tool():
    play({"reasoning": "hm"}, {"text": "I look."}, {"tool_call": {"name": "look", "arguments": {"q": "é"}}})
    kinds, answer = accumulated(tools=TOOLS, thinking=BUDGET)
    equal(kinds.count("input_json"), 3)
    equal([block.type for block in answer.content], ["thinking", "text", "tool_use"])
    call = answer.content[2]
    equal((call.name, call.input, answer.stop_reason), ("look", {"q": "é"}, "tool_use"))
    play({"text": "done"})
    history = [*HELLO, {"role": "assistant", "content": answer.content}, results(answer)]
    equal(ask(history, tools=TOOLS, thinking=BUDGET).content[0].text, "done")
    history[1] = {"role": "assistant", "content": answer.content[1:]}
    raises(anthropic.BadRequestError, lambda: ask(history, tools=TOOLS, thinking=BUDGET), "Expected `thinking` or `redacted_thinking`")


@check("parallel calls there and back; a missing and a foreign result are refused")
def parallel():
    calls = [{"tool_call": {"name": "look", "arguments": {"q": letter}}} for letter in "abc"]
    play(*calls)
    _, answer = accumulated(tools=TOOLS)
    equal([block.input["q"] for block in answer.content], ["a", "b", "c"])
    equal(len({block.id for block in answer.content}), 3)
    play({"text": "done"})
    turn, back = {"role": "assistant", "content": answer.content}, results(answer)
    equal(ask([*HELLO, turn, back], tools=TOOLS).content[0].text, "done")
    part = {"role": "user", "content": back["content"][:2]}
    raises(anthropic.BadRequestError, lambda: ask([*HELLO, turn, part], tools=TOOLS), "`tool_use` ids were found without `tool_result`")
    raises(anthropic.BadRequestError, lambda: ask([back], tools=TOOLS), "unexpected `tool_use_id`")


@check("ends: the limit, a refusal, tools")
def ends():
    for finish, reason in (("length", "max_tokens"), ("refusal", "refusal"), ("tool_use", "tool_use"), ("content_filter", "refusal")):
        play({"text": "hel"}, finish=finish)
        _, answer = accumulated()
        equal(answer.stop_reason, reason)
    equal(answer.stop_details.type, "refusal")


@check("wrong settings of thinking are refused in the vendor's words")
def settings():
    def refused(part, **fields):
        raises(anthropic.BadRequestError, lambda: ask(**fields), part)

    refused("greater than or equal to 1024", thinking={"type": "enabled", "budget_tokens": 1000})
    refused("`max_tokens` must be greater than", thinking={"type": "enabled", "budget_tokens": 4096})
    warm, older = {"temperature": 0.7}, {"anthropic-version": "2023-06-01"}
    refused("`temperature` may only be set to 1", thinking=BUDGET, extra_body=warm, extra_headers=older)
    refused("temperature: Extra inputs are not permitted", extra_body=warm)
    refused("tool_choice forces tool use", thinking=BUDGET, tools=TOOLS, tool_choice={"type": "any"})
    refused("is not supported for this model", thinking=BUDGET, model="claude-opus-4-8")
    refused("\"thinking.type.disabled\" is not supported", thinking={"type": "disabled"}, model="claude-opus-5-5")
    refused("prefill", model="claude-opus-5", messages=[*HELLO, {"role": "assistant", "content": "I"}])
    refused("adaptive thinking is not supported", thinking={"type": "adaptive"})
    refused("non-empty", messages=[{"role": "user", "content": [{"type": "text", "text": ""}]}])
    model.rules(rules={"efforts": [{"words": ["xhigh"], "supported": ["high", "low"]}]})
    refused("does not support effort level 'xhigh'. Supported levels: high, low", model="claude-opus-5", output_config={"effort": "xhigh"})
    model.rules(rules={})


@check("failures arrive as the right exceptions")
def failures():
    for status, kind, name in (
        (400, anthropic.BadRequestError, "invalid_request_error"),
        (401, anthropic.AuthenticationError, "authentication_error"),
        (403, anthropic.PermissionDeniedError, "permission_error"),
        (404, anthropic.NotFoundError, "not_found_error"),
        (429, anthropic.RateLimitError, "rate_limit_error"),
        (500, anthropic.InternalServerError, "api_error"),
        (529, anthropic.InternalServerError, "overloaded_error"),
    ):
        play(fail={"status": status, "retry_after": "7"})
        error = raises(kind, ask)
        equal((error.status_code, error.type, error.response.headers["retry-after"]), (status, name, "7"))
    play(fail={"status": 0})
    raises(anthropic.APIConnectionError, ask)


@check("pictures and documents are taken, and refused where they are none")
def sent():
    def block(kind, mime, data):
        return {"type": kind, "source": {"type": "base64", "media_type": mime, "data": data}}

    parts = [block("image", "image/png", "iVBORw=="), block("document", "application/pdf", "JVBERi0="), {"type": "text", "text": "look"}]
    equal(ask([{"role": "user", "content": parts}]).content[-1].text, "You said: look")
    wrong = [block("image", "image/jpeg", "iVBORw==")]
    raises(anthropic.BadRequestError, lambda: ask([{"role": "user", "content": wrong}]), "appears to be a image/png image")


@check("errors inside a stream arrive as errors, unknown events do no harm")
def broken():
    for steps in (["cut"], [{"error": "boom"}], [{"raw": "event: content_block_delta\ndata: {bro\n\n"}]):
        play({"text": "a"}, *steps)
        raises(Exception, lambda: list(ask(stream=True)))
    play({"text": "a"}, {"error": "boom"})
    equal(raises(anthropic.APIStatusError, lambda: list(ask(stream=True)), "boom").type, "overloaded_error")
    play("unknown", {"text": "a"}, "unknown", {"text": "b"})
    events = list(ask(stream=True))
    equal("".join(event.delta.text for event in events if event.type == "content_block_delta"), "ab")


CHECKS = [models, whole, streamed, thoughts, omitted, tool, parallel, ends, settings, sent, failures, broken]
asyncio.run(bench.run(CHECKS, "anthropic"))
bench.finish()

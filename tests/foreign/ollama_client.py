"""The official ollama client against the model fake: lines, thoughts, whole tool calls, and what goes wrong."""

import asyncio
import sys

import bench
import ollama
from bench import check, equal, raises

URL = sys.argv[3].removesuffix("/v1")
model = bench.Control(URL)
client = ollama.Client(host=URL, timeout=10)
HELLO = [{"role": "user", "content": "hello you"}]
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}}]
USAGE = {"input": 9, "output": 5}


def play(*steps, **rest):
    model.play(script={"steps": list(steps), **rest})


def ask(messages=HELLO, **rest):
    return client.chat(**{"model": "gpt-oss:20b", "messages": messages, **rest})


@check("models are listed and shown")
def models():
    assert "gpt-5.6-sol" in [entry.model for entry in client.list().models]
    assert "thinking" in client.show("gpt-5.6-sol").capabilities


@check("whole: thought, text, counts, end")
def whole():
    play({"reasoning": "hm"}, {"text": "hel"}, {"text": "lo"}, usage=USAGE)
    answer = ask(think="high")
    equal((answer.message.thinking, answer.message.content, answer.message.role), ("hm", "hello", "assistant"))
    equal((answer.done, answer.done_reason, answer.prompt_eval_count, answer.eval_count), (True, "stop", 9, 5))
    equal((model.requests()[-1]["body"]["think"], model.requests()[-1]["shape"]), ("high", "ollama"))


@check("streamed: a line a piece, the counts in the last one")
def streamed():
    play({"reasoning": "h"}, {"reasoning": "m"}, {"text": "hel"}, {"text": "lo"}, usage=USAGE)
    lines = list(ask(stream=True, think=True))
    equal("".join(line.message.thinking or "" for line in lines), "hm")
    equal("".join(line.message.content for line in lines), "hello")
    equal([line.done for line in lines], [False] * 4 + [True])
    equal((lines[-1].done_reason, lines[-1].prompt_eval_count, lines[-1].eval_count), ("stop", 9, 5))


@check("a tool call there and back, with its thought")
def tool():
    play({"reasoning": "hm"}, {"tool_call": {"name": "look", "arguments": {"q": "é"}}})
    answer = ask(tools=TOOLS, think=True)
    call = answer.message.tool_calls[0]
    equal((call.function.name, call.function.arguments), ("look", {"q": "é"}))
    play({"text": "done"})
    history = [*HELLO, answer.message, {"role": "tool", "tool_name": "look", "content": "saw it"}]
    equal(ask(history, tools=TOOLS).message.content, "done")
    equal(model.requests()[-1]["body"]["messages"][1]["thinking"], "hm")


@check("parallel calls, streamed: each whole in a line of its own")
def parallel():
    play(*[{"tool_call": {"name": "look", "arguments": {"q": letter}}} for letter in "abc"])
    lines = list(ask(stream=True, tools=TOOLS))
    calls = [call for line in lines for call in line.message.tool_calls or []]
    equal([call.function.arguments["q"] for call in calls], ["a", "b", "c"])


@check("ends: the limit")
def ends():
    play({"text": "hel"}, finish="length")
    equal(ask().done_reason, "length")


@check("wrong words of thinking are refused in the vendor's words")
def settings():
    error = raises(ollama.ResponseError, lambda: ask(think="xhigh"), 'invalid think value: "xhigh"')
    equal(error.status_code, 400)
    model.rules(rules={"efforts": [{"words": ["on"]}]})
    raises(ollama.ResponseError, lambda: ask(think=True), "does not support thinking")
    model.rules(rules={"efforts": [{"words": ["max"], "supported": ["high", "medium", "low"]}]})
    raises(ollama.ResponseError, lambda: ask(think="max"), '(must be "high", "medium", "low", true, or false)')
    model.rules(rules={})


@check("failures arrive as the right exceptions")
def failures():
    for status in (400, 401, 404, 429, 500, 503):
        for streamed in (False, True):
            play(fail={"status": status})
            error = raises(ollama.ResponseError, lambda: list(ask(stream=streamed)))
            equal(error.status_code, status)
            assert error.error and not error.error.startswith("{"), error.error


@check("pictures are taken, and refused where they are none or nobody sees")
def sent():
    def look(data, **rest):
        return ask([{"role": "user", "content": "look", "images": [data]}], **rest)

    equal(look(b"\x89PNG", model="gemma3").message.content, "You said: look")
    raises(ollama.ResponseError, lambda: look(b"%PDF-", model="gemma3"), "Failed to load image")
    raises(ollama.ResponseError, lambda: look(b"\x89PNG"), "missing data required for image input")


@check("errors inside a stream arrive as errors, unknown fields do no harm")
def broken():
    for steps in (["cut"], [{"error": "boom"}], [{"raw": '{"bro\n'}]):
        play({"text": "a"}, *steps)
        raises(Exception, lambda: list(ask(stream=True)))
    play({"text": "a"}, {"error": "boom"})
    raises(ollama.ResponseError, lambda: list(ask(stream=True)), "boom")
    play("unknown", {"text": "a"}, "unknown", {"text": "b"})
    equal("".join(line.message.content for line in ask(stream=True)), "ab")


CHECKS = [models, whole, streamed, tool, parallel, ends, settings, sent, failures, broken]
asyncio.run(bench.run(CHECKS, "ollama"))
bench.finish()

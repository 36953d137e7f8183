"""Google's official google-genai SDK against the model fake: parts, thoughts, seals on calls, tools, and what goes wrong."""

import asyncio
import sys

import bench
from bench import check, equal, raises
from google import genai
from google.genai import errors, types

URL = sys.argv[3].removesuffix("/v1")
model = bench.Control(URL)
client = genai.Client(api_key="fake-key", http_options=types.HttpOptions(base_url=URL, timeout=10_000))
FLASH, PRO = "gemini-2.5-flash", "gemini-3-pro-preview"
LOOK = types.FunctionDeclaration(
    name="look", description="Looks.", parameters_json_schema={"type": "object", "properties": {"q": {"type": "string"}}}
)
USAGE = {"input": 9, "cached": 2, "output": 5, "reasoning": 3}


def play(*steps, **rest):
    model.play(script={"steps": list(steps), **rest})


def config(tools=False, **thinking):
    manual = types.AutomaticFunctionCallingConfig(disable=True)
    return types.GenerateContentConfig(
        thinking_config=types.ThinkingConfig(**thinking) if thinking else None,
        tools=[types.Tool(function_declarations=[LOOK])] if tools else None,
        automatic_function_calling=manual,
    )


def ask(contents="hello you", name=PRO, settings=None):
    return client.models.generate_content(model=name, contents=contents, config=settings)


def stream(contents="hello you", name=PRO, settings=None):
    return list(client.models.generate_content_stream(model=name, contents=contents, config=settings))


def parts(chunks):
    return [part for chunk in chunks for candidate in chunk.candidates or [] for part in (candidate.content and candidate.content.parts) or []]


def said(text):
    return types.Content(role="user", parts=[types.Part(text=text)])


def results(calls):
    answers = [types.FunctionResponse(id=call.id, name=call.name, response={"output": "saw it"}) for call in calls]
    return types.Content(role="user", parts=[types.Part(function_response=answer) for answer in answers])


@check("models are listed")
def models():
    assert "models/gpt-5.6-sol" in [entry.name for entry in client.models.list()]


@check("whole: text, usage, end")
def whole():
    play({"text": "hel"}, {"text": "lo"}, usage=USAGE)
    answer = ask(name=FLASH)
    equal((answer.text, answer.candidates[0].finish_reason), ("hello", types.FinishReason.STOP))
    usage = answer.usage_metadata
    counts = (usage.prompt_token_count, usage.cached_content_token_count, usage.candidates_token_count, usage.thoughts_token_count)
    equal((*counts, usage.total_token_count), (9, 2, 2, 3, 14))
    equal((answer.model_version, model.requests()[-1]["shape"]), (FLASH, "gemini"))


@check("streamed: thoughts as parts, text, a seal at the end, usage")
def streamed():
    play({"reasoning": "h"}, {"reasoning": "m"}, {"text": "hel"}, {"text": "lo"}, usage=USAGE)
    chunks = stream(settings=config(include_thoughts=True, thinking_level="HIGH"))
    seen = parts(chunks)
    equal("".join(part.text for part in seen if part.thought), "hm")
    equal("".join(part.text or "" for part in seen if not part.thought), "hello")
    assert seen[-1].thought_signature, seen[-1]
    equal(chunks[-1].candidates[0].finish_reason, types.FinishReason.STOP)
    equal((chunks[-1].usage_metadata.thoughts_token_count, chunks[-1].usage_metadata.total_token_count), (3, 14))
    sent = model.requests()[-1]["body"]["generationConfig"]["thinkingConfig"]
    equal(sent, {"includeThoughts": True, "thinkingLevel": "HIGH"})


@check("thoughts that nobody asked to see are not shown")
def hidden():
    play({"reasoning": "hm"}, {"text": "a"}, usage=USAGE)
    answer = ask(settings=config(thinking_level="LOW"))
    equal([part.text for part in parts([answer])], ["a"])
    equal(answer.usage_metadata.thoughts_token_count, 3)


@check("a tool call there and back, with its seal; without it, and with another, it is refused")
def tool():
    play({"reasoning": "hm"}, {"tool_call": {"name": "look", "arguments": {"q": "é"}}})
    settings = config(tools=True, include_thoughts=True)
    answer = ask(settings=settings)
    call = answer.function_calls[0]
    equal((call.name, call.args), ("look", {"q": "é"}))
    turn = answer.candidates[0].content
    seals = [part.thought_signature for part in turn.parts]
    equal((len(seals), seals[0]), (2, None))
    assert seals[1]
    play({"text": "done"})
    equal(ask([said("hello"), turn, results([call])], settings=settings).text, "done")
    bare = types.Content(role="model", parts=[types.Part(function_call=call)])
    raises(errors.ClientError, lambda: ask([said("hello"), bare, results([call])], settings=settings), "missing a thought_signature")
    other = types.Content(role="model", parts=[types.Part(function_call=call, thought_signature=b"no seal at all")])
    raises(errors.ClientError, lambda: ask([said("hello"), other, results([call])], settings=settings), "Corrupted thought signature")
    # What happened before the person last spoke needs no seal.
    play({"text": "fine"})
    older = [said("hello"), bare, results([call]), types.Content(role="model", parts=[types.Part(text="ok")]), said("and?")]
    equal(ask(older, settings=settings).text, "fine")


@check("parallel calls, streamed: a seal on the first alone; as many results as calls")
def parallel():
    play({"reasoning": "hm"}, {"signature": "R2l2ZW4x"}, *[{"tool_call": {"name": "look", "arguments": {"q": letter}}} for letter in "abc"])
    seen = [part for part in parts(stream(settings=config(tools=True))) if part.function_call]
    equal([part.function_call.args["q"] for part in seen], ["a", "b", "c"])
    equal([part.thought_signature for part in seen], [b"Given1", None, None])
    equal(len({part.function_call.id for part in seen}), 3)
    turn, calls = types.Content(role="model", parts=seen), [part.function_call for part in seen]
    play({"text": "done"})
    equal(ask([said("hello"), turn, results(calls)], settings=config(tools=True)).text, "done")
    raises(errors.ClientError, lambda: ask([said("hello"), turn, results(calls[:2])]), "number of function response parts")
    raises(errors.ClientError, lambda: ask([said("hello"), results(calls)]), "immediately after a function call turn")


@check("ends: the limit, the filter, a broken call")
def ends():
    for finish, reason in (("length", "MAX_TOKENS"), ("content_filter", "SAFETY"), ("refusal", "PROHIBITED_CONTENT")):
        play({"text": "hel"}, finish=finish)
        equal(stream(name=FLASH)[-1].candidates[0].finish_reason, types.FinishReason(reason))
    play({"tool_call": {"name": "look", "arguments": "no object"}})
    equal(stream(name=FLASH)[-1].candidates[0].finish_reason, types.FinishReason.MALFORMED_FUNCTION_CALL)


@check("wrong settings of thinking are refused in the vendor's words")
def settings():
    def refused(part, name, **thinking):
        error = raises(errors.ClientError, lambda: ask(name=name, settings=config(**thinking)), part)
        equal((error.code, error.status), (400, "INVALID_ARGUMENT"))

    refused("only one of thinking budget and thinking level", PRO, thinking_budget=128, thinking_level="LOW")
    refused("Thinking level is not supported", FLASH, thinking_level="LOW")
    refused("Budget 0 is invalid", "gemini-2.5-pro", thinking_budget=0)
    refused("between 1 and 24576", FLASH, thinking_budget=32_768)
    model.rules(rules={"efforts": [{"words": ["minimal"], "supported": []}]})
    refused("Thinking level MINIMAL is not supported", PRO, thinking_level="MINIMAL")
    model.rules(rules={})


@check("failures arrive as the right exceptions")
def failures():
    for status, kind, name in (
        (400, errors.ClientError, "INVALID_ARGUMENT"),
        (401, errors.ClientError, "UNAUTHENTICATED"),
        (404, errors.ClientError, "NOT_FOUND"),
        (429, errors.ClientError, "RESOURCE_EXHAUSTED"),
        (500, errors.ServerError, "INTERNAL"),
        (503, errors.ServerError, "UNAVAILABLE"),
    ):
        for way in (ask, stream):
            play(fail={"status": status, "retry_after": "7"})
            error = raises(kind, way)
            equal((error.code, error.status), (status, name))
            equal(error.details["error"]["details"][0]["retryDelay"], "7s")


@check("pictures, recordings and documents are taken, and refused where they are none")
def sent():
    def part(data, mime):
        return types.Part.from_bytes(data=data, mime_type=mime)

    parts = [part(b"\x89PNG", "image/png"), part(b"OggS", "audio/ogg"), part(b"%PDF-", "application/pdf"), types.Part(text="look")]
    equal(ask([types.Content(role="user", parts=parts)]).text, "You said: look")
    wrong = [types.Content(role="user", parts=[part(b"GIF89a", "image/gif")])]
    raises(errors.ClientError, lambda: ask(wrong), "Unsupported MIME type: image/gif")


@check("errors inside a stream arrive as errors, unknown parts do no harm")
def broken():
    for steps in (["cut"], [{"error": "boom"}], [{"raw": "data: {bro\n\n"}]):
        play({"text": "a"}, *steps)
        raises(Exception, lambda: stream(name=FLASH))
    play("unknown", {"text": "a"}, "unknown", {"text": "b"})
    equal("".join(part.text or "" for part in parts(stream(name=FLASH))), "ab")


CHECKS = [models, whole, streamed, hidden, tool, parallel, ends, settings, sent, failures, broken]
asyncio.run(bench.run(CHECKS, "genai"))
bench.finish()

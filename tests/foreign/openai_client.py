"""The official openai SDK against the model fake: both APIs, whole and streamed, and what goes wrong."""

import asyncio
import sys
import time

import bench
import openai
from bench import check, equal

URL = sys.argv[3]
model = bench.Control(URL)
client = openai.OpenAI(base_url=URL, api_key="sk-fake", max_retries=0, timeout=10)
HELLO = [{"role": "user", "content": "hello you"}]
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]


def play(*steps, **rest):
    model.play(script={"steps": list(steps), **rest})


@check("models are listed")
def models():
    assert "gpt-5.6-sol" in [entry.id for entry in client.models.list()]


@check("chat, whole: text, reasoning, usage")
def chat():
    usage = {"input": 9, "cached": 2, "output": 5, "reasoning": 3}
    play({"reasoning": "hm"}, {"text": "hello"}, usage=usage)
    answer = client.chat.completions.create(model="gpt-5.2", messages=HELLO, reasoning_effort="high")
    message = answer.choices[0].message
    equal((message.content, message.reasoning_content, answer.choices[0].finish_reason), ("hello", "hm", "stop"))
    equal((answer.usage.total_tokens, answer.usage.completion_tokens_details.reasoning_tokens), (14, 3))
    equal(model.requests()[-1]["body"]["reasoning_effort"], "high")


@check("chat, streamed: deltas, reasoning, usage")
def chat_stream():
    play({"reasoning": "h"}, {"reasoning": "m"}, {"text": "hel"}, {"text": "lo"})
    options = {"include_usage": True}
    chunks = list(client.chat.completions.create(model="gpt-5.2", messages=HELLO, stream=True, stream_options=options))
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    equal("".join(delta.content or "" for delta in deltas), "hello")
    equal("".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas), "hm")
    assert chunks[-1].usage.completion_tokens > 0


@check("chat, accumulated by the SDK: a tool call")
def chat_tool():
    play({"tool_call": {"name": "look", "arguments": {"q": "é"}}})
    with client.chat.completions.stream(model="gpt-5.2", messages=HELLO, tools=TOOLS) as stream:
        answer = stream.get_final_completion()
    call = answer.choices[0].message.tool_calls[0]
    equal((call.function.name, call.function.arguments, answer.choices[0].finish_reason), ("look", '{"q":"é"}', "tool_calls"))


@check("responses, whole: text, summary, usage")
def responses():
    play({"reasoning": "hm"}, {"text": "hello"})
    answer = client.responses.create(model="gpt-5.2", input="hi", reasoning={"effort": "low", "summary": "auto"})
    equal((answer.output_text, answer.output[0].summary[0].text, answer.status), ("hello", "hm", "completed"))
    equal(answer.usage.output_tokens_details.reasoning_tokens, 1)


@check("responses, accumulated by the SDK: every event, reasoning, a tool call")
def responses_stream():
    play({"reasoning": "h"}, {"reasoning": "m"}, {"text": "hel"}, {"text": "lo"}, {"tool_call": {"name": "look", "arguments": {}}})
    with client.responses.stream(model="gpt-5.2", input="hi") as stream:
        kinds = [event.type for event in stream]
        answer = stream.get_final_response()
    equal([item.type for item in answer.output], ["reasoning", "message", "function_call"])
    equal((answer.output_text, answer.output[0].summary[0].text), ("hello", "hm"))
    equal(kinds.count("response.output_text.delta"), 2)
    equal((kinds[0], kinds[-1]), ("response.created", "response.completed"))


@check("chat: parallel calls there and back; a call without its answer is refused")
def parallel():
    play(*[{"tool_call": {"name": "look", "arguments": {"q": letter}}} for letter in "abc"])
    with client.chat.completions.stream(model="gpt-5.2", messages=HELLO, tools=TOOLS) as stream:
        turn = stream.get_final_completion().choices[0].message
    equal([call.function.arguments for call in turn.tool_calls], ['{"q":"a"}', '{"q":"b"}', '{"q":"c"}'])
    calls = [{"id": call.id, "type": "function", "function": {"name": "look", "arguments": call.function.arguments}} for call in turn.tool_calls]
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "saw it"} for call in calls]
    history = [*HELLO, {"role": "assistant", "tool_calls": calls}, *results]
    play({"text": "done"})
    equal(client.chat.completions.create(model="gpt-5.2", messages=history, tools=TOOLS).choices[0].message.content, "done")
    try:
        client.chat.completions.create(model="gpt-5.2", messages=history[:-1], tools=TOOLS)
    except openai.BadRequestError as error:
        assert "did not have response messages" in error.message, error.message
        return
    raise AssertionError("passed")


@check("responses: a tool call there and back, with its encrypted reasoning; altered, it is refused")
def replay():
    fields = {"model": "gpt-5.2", "store": False, "include": ["reasoning.encrypted_content"]}
    play({"reasoning": "hm"}, {"tool_call": {"name": "look", "arguments": {"q": "é"}}})
    answer = client.responses.create(input="hi", **fields)
    thought, call = answer.output
    assert thought.encrypted_content
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "saw it"}
    turn = [item.model_dump(exclude_none=True) for item in answer.output]
    play({"text": "done"})
    equal(client.responses.create(input=[*HELLO, *turn, output], **fields).output_text, "done")
    turn[0]["encrypted_content"] = "gAAAAAnothing"
    try:
        client.responses.create(input=[*HELLO, *turn, output], **fields)
    except openai.BadRequestError as error:
        equal(error.code, "invalid_encrypted_content")
        return
    raise AssertionError("passed")


@check("pictures, documents and recordings are taken in both APIs")
def sent():
    png, pdf = "data:image/png;base64,iVBORw==", "data:application/pdf;base64,JVBERi0="
    parts = [
        {"type": "image_url", "image_url": {"url": png}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": pdf}},
        {"type": "input_audio", "input_audio": {"data": "SUQz", "format": "mp3"}},
        {"type": "text", "text": "look"},
    ]
    answer = client.chat.completions.create(model="gpt-5.2", messages=[{"role": "user", "content": parts}])
    equal(answer.choices[0].message.content, "You said: look")
    parts = [
        {"type": "input_image", "image_url": png, "detail": "auto"},
        {"type": "input_file", "filename": "a.pdf", "file_data": pdf},
        {"type": "input_text", "text": "look"},
    ]
    equal(client.responses.create(model="gpt-5.2", input=[{"role": "user", "content": parts}]).output_text, "You said: look")


@check("a recording is written down")
def heard():
    model.transcribe(words="Buy milk.")
    words = client.audio.transcriptions.create(model="gpt-4o-transcribe", file=("voice.ogg", b"OggS", "audio/ogg"))
    equal(words.text, "Buy milk.")
    equal(model.recordings()[-1], {"model": "gpt-4o-transcribe", "name": "voice.ogg", "mime": "audio/ogg", "size": 4})
    try:
        client.audio.transcriptions.create(model="whisper-1", file=("voice.txt", b"text"))
    except openai.BadRequestError as error:
        assert "Invalid file format." in error.message, error.message
        return
    raise AssertionError("passed")


@check("an effort that the model lacks is refused, with what it has")
def efforts():
    model.rules(rules={"efforts": [{"words": ["xhigh"], "supported": ["low", "medium", "high"]}]})
    try:
        client.responses.create(model="gpt-5.2", input="hi", reasoning={"effort": "xhigh"})
    except openai.BadRequestError as error:
        equal((error.code, error.param), ("unsupported_value", "reasoning.effort"))
        assert "Supported values are: 'low', 'medium', and 'high'." in error.message, error.message
        return
    finally:
        model.rules(rules={})
    raise AssertionError("passed")


@check("responses, cut at the limit")
def incomplete():
    play({"text": "hel"}, finish="length")
    events = list(client.responses.create(model="gpt-5.2", input="hi", stream=True))
    equal(events[-1].type, "response.incomplete")
    equal(events[-1].response.incomplete_details.reason, "max_output_tokens")


@check("failures arrive as the right exceptions")
def failures():
    def raises(kind, fail):
        play(fail=fail)
        try:
            client.chat.completions.create(model="gpt-5.2", messages=HELLO)
        except kind as error:
            return error
        raise AssertionError(f"no {kind.__name__}")

    raises(openai.BadRequestError, {"status": 400})
    raises(openai.AuthenticationError, {"status": 401})
    raises(openai.PermissionDeniedError, {"status": 403})
    raises(openai.NotFoundError, {"status": 404})
    limited = raises(openai.RateLimitError, {"status": 429, "retry_after": "7"})
    equal((limited.response.headers["retry-after"], limited.code), ("7", "rate_limit_exceeded"))
    raises(openai.InternalServerError, {"status": 500})
    raises(openai.InternalServerError, {"status": 503, "plain": "upstream connect error"})
    raises(openai.InternalServerError, {"status": 502, "html": True})
    raises(openai.APIConnectionError, {"status": 0})


@check("errors inside a stream arrive as errors")
def broken():
    for steps in (["cut"], [{"error": "boom"}], [{"raw": "data: {bro\n\n"}]):
        play({"text": "a"}, *steps)
        try:
            list(client.chat.completions.create(model="gpt-5.2", messages=HELLO, stream=True))
        except Exception:
            continue
        raise AssertionError(f"{steps} passed unseen")


@check("a client that leaves is seen to leave")
def leaves():
    before = model.counts()["abandoned"]
    play({"text": "a"}, {"wait": "never"}, {"text": "b"})
    stream = client.chat.completions.create(model="gpt-5.2", messages=HELLO, stream=True)
    next(iter(stream))
    stream.close()
    for _ in range(100):
        if model.counts()["abandoned"] > before:
            return
        time.sleep(0.02)
    raise AssertionError("nobody noticed")


CHECKS = [models, chat, chat_stream, chat_tool, responses, responses_stream, parallel, replay, sent, heard, efforts, incomplete, failures]
CHECKS += [broken, leaves]
asyncio.run(bench.run(CHECKS, "openai"))
bench.finish()

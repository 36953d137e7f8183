"""Sees to it that check_bodies.py passes what is right and catches what is not, in every shape."""

import asyncio

import bench
from bench import check, equal
from check_bodies import judge

LOOK = {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}

# A body of every shape with a tool loop in it, so that the checks can break it at any depth.
BODIES = {
    "chat": {
        "model": "gpt-5.2",
        "stream": True,
        "stream_options": {"include_usage": True},
        "reasoning_effort": "xhigh",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "blue"},
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
                    {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
                    {"type": "input_audio", "input_audio": {"data": "SUQz", "format": "mp3"}},
                    {"type": "text", "text": "Look"},
                ],
            },
        ],
        "tools": [LOOK],
        "tool_choice": "auto",
    },
    "responses": {
        "model": "gpt-5.2",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "max", "summary": "auto"},
        "input": [
            {"type": "message", "role": "user", "content": "Hi"},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "gAAA"},
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "blue"},
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_image", "image_url": "data:image/png;base64,iVBORw==", "detail": "auto"},
                    {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
                    {"type": "input_text", "text": "Look"},
                ],
            },
        ],
        "tools": [{"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False}],
    },
    "anthropic": {
        "model": "claude-opus-4-8",
        "stream": True,
        "max_tokens": 4096,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "output_config": {"effort": "xhigh"},
        "messages": [
            {"role": "user", "content": "Hi"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "sig"},
                    {"type": "tool_use", "id": "c1", "name": "look", "input": {"any": ["thing"]}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "blue", "is_error": False},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}},
                    {
                        "type": "document",
                        "title": "a.pdf",
                        "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
                    },
                ],
            },
        ],
        "tools": [{"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {}}}],
    },
    "gemini": {
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {"any": 1}}, "thoughtSignature": "c2ln"}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"output": "blue"}}}]},
            {"role": "user", "parts": [{"inlineData": {"mimeType": "audio/ogg", "data": "T2dnUw=="}}, {"text": "Listen"}]},
        ],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {"maxOutputTokens": 9, "thinkingConfig": {"thinkingLevel": "LOW", "includeThoughts": True}},
        "tools": [{"functionDeclarations": [{"name": "look", "parametersJsonSchema": {"type": "object"}}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
    },
    "ollama": {
        "model": "gpt-oss:20b",
        "stream": True,
        "think": "high",
        "options": {"num_predict": 9, "temperature": 1},
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "", "thinking": "Hm.", "tool_calls": [{"function": {"name": "look", "arguments": {"any": 1}}}]},
            {"role": "tool", "tool_name": "look", "content": "blue"},
            {"role": "user", "content": "Look", "images": ["iVBORw=="]},
        ],
        "tools": [LOOK],
    },
}
# Where an unknown key is put: at the top, in a message, in a block or call of it, in a tool, in the settings.
PLACES = {
    "chat": ["", "messages[1]", "messages[2].tool_calls[0]", "messages[2].tool_calls[0].function", "tools[0].function", "stream_options"],
    "responses": ["", "input[0]", "input[1]", "input[1].summary[0]", "input[2]", "tools[0]", "reasoning"],
    "anthropic": ["", "messages[0]", "messages[1].content[0]", "messages[2].content[0]", "tools[0]", "thinking", "output_config"],
    "gemini": ["", "contents[0]", "contents[1].parts[0]", "contents[1].parts[0].functionCall", "generationConfig.thinkingConfig", "tools[0]"],
    "ollama": ["", "messages[0]", "messages[1].tool_calls[0]", "messages[1].tool_calls[0].function", "tools[0].function", "options"],
}
# A value of another type, or another word, and the place of it. Most stand in what the libraries declare as Iterable.
WRONG = {
    "chat": {
        "messages[3].content": 5,
        "messages[1].role": "human",
        "messages[2].tool_calls[0].function.arguments": {},
        "tools[0].function.name": 5,
        "messages[4].content[0].image_url.url": 5,
        "messages[4].content[2].input_audio.format": "aiff",
        "reasoning_effort": "ultra",
        "stream": False,
    },
    "responses": {
        "input[3].output": 5,
        "input[4].content[0].detail": "sharp",
        "input[1].summary[0].text": None,
        "tools[0].strict": 1,
        "reasoning.summary": "always",
        "include[0]": "everything",
    },
    "anthropic": {
        "messages[2].content[0].is_error": "no",
        "messages[1].content[0].signature": 5,
        "messages[2].content[1].source.media_type": "image/tiff",
        "tools[0].description": ["Looks."],
        "max_tokens": "4096",
        "thinking.display": "all",
        "output_config.effort": "minimal",
    },
    "gemini": {
        "contents[0].parts[0].text": 5,
        "contents[1].parts[0].functionCall.args": "{}",
        "contents[1].parts[0].thoughtSignature": "*",
        "contents[3].parts[0].inlineData.data": "*",
        "generationConfig.maxOutputTokens": "9",
        "generationConfig.thinkingConfig.thinkingLevel": "low",
        "toolConfig.functionCallingConfig.mode": "SOMETIMES",
    },
    "ollama": {
        "messages[2].content": ["blue"],
        "messages[3].images[0]": "*",
        "messages[1].tool_calls[0].function.arguments": "{}",
        "options.num_predict": "9",
        "think": 1,
        "tools[0].function.parameters.type": "string",
    },
}


def record(shape, body, **headers):
    return {"shape": shape, "path": "/v1beta/models/gemini-3-pro:streamGenerateContent", "headers": headers, "body": body}


def faults(shape, body, **headers):
    return judge(record(shape, body, **headers))[0]


def steps(path):
    return [int(part) if part.isdigit() else part for part in path.replace("[", ".").replace("]", "").split(".") if part]


def altered(value, parts, change):
    """A copy in which what stands at the place is another."""
    if not parts:
        return change(value)
    copy = value.copy()
    copy[parts[0]] = altered(value[parts[0]], parts[1:], change)
    return copy


def caught(shape, path, change, place, **headers):
    found = faults(shape, altered(BODIES[shape], steps(path), change), **headers)
    equal([fault.split(": ")[0] for fault in found], [place])


@check("right bodies pass")
def right():
    for shape, body in BODIES.items():
        equal(faults(shape, body), [])
    # The fast lane goes to the vendor's own host alone, so that no recording holds it.
    for tier in ("auto", "standard_only"):
        equal(faults("anthropic", {**BODIES["anthropic"], "service_tier": tier}), [])
    equal(faults("anthropic", {**BODIES["anthropic"], "speed": "fast"}, **{"anthropic-beta": "fast-mode"}), [])


@check("an unknown key is caught at any depth, and nothing else")
def unknown():
    for shape, places in PLACES.items():
        for path in places:
            caught(shape, path, lambda value: {**value, "colour": 1}, f"{path}.colour".lstrip("."))
    for path in PLACES["anthropic"]:
        caught("anthropic", path, lambda value: {**value, "colour": 1}, f"{path}.colour".lstrip("."), **{"anthropic-beta": "fast-mode"})


@check("a wrong type and a wrong word are caught, also where the libraries would look only later")
def wrong():
    for shape, values in WRONG.items():
        for path, value in values.items():
            caught(shape, path, lambda _, value=value: value, path)


@check("a key that is missing is caught")
def missing():
    for shape, path, key in [
        ("chat", "messages[3]", "tool_call_id"),
        ("responses", "input[2]", "call_id"),
        ("anthropic", "", "max_tokens"),
        ("anthropic", "messages[1].content[0]", "signature"),
        ("gemini", "", "contents"),
        ("ollama", "messages[1].tool_calls[0].function", "name"),
    ]:
        place = f"{path}.{key}".lstrip(".")
        caught(shape, path, lambda value, key=key: {name: item for name, item in value.items() if name != key}, place)


@check("names of Python are none of the wire's")
def names():
    caught("gemini", "", lambda body: {**body, "cached_content": "a"}, "cached_content")


@check("a dialect excuses its own field, of its own models, in its own words")
def dialects():
    chat = {"model": "deepseek-v4-pro", "stream": True, "messages": [{"role": "user", "content": "Hi"}]}
    found, needed = judge(record("chat", {**chat, "thinking": {"type": "disabled"}}))
    equal((found, [entry.path for entry in needed]), ([], ["thinking"]))
    for body in [
        {**chat, "thinking": {"type": "sometimes"}},
        {**chat, "thinking": {"type": "enabled", "colour": 1}},
        {**chat, "model": "gpt-5.2", "thinking": {"type": "enabled"}},
    ]:
        equal(len(faults("chat", body)), 1)
    equal(len(faults("chat", {**chat, "thinking": {"type": "enabled"}, "colour": 1})), 1)


asyncio.run(bench.run([right, unknown, wrong, missing, names, dialects], "check_bodies"))
bench.finish()

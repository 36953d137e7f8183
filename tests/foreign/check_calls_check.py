"""Sees to it that check_calls.py passes what is right and catches what is not."""

import asyncio
import json
import pathlib
import subprocess
import sys
import tempfile

import bench
from bench import check, equal
from check_calls import faults


def call(method, params, files=()):
    return {"method": method, "params": params, "files": [[part, "a"] for part in files]}


@check("right calls pass, typed and as form text")
def right():
    entities = [{"type": "bold", "offset": 0, "length": 1}]
    keyboard = {"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]}
    equal(faults(call("sendMessage", {"chat_id": 5, "text": "[x", "entities": entities, "reply_markup": keyboard})), [])
    equal(faults(call("sendMessage", {"chat_id": "5", "text": "{}", "entities": '[{"type":"bold","offset":0,"length":1}]'})), [])
    equal(faults(call("getUpdates", {"offset": 1, "timeout": 10, "allowed_updates": ["message"]})), [])
    equal(faults(call("sendDocument", {"chat_id": "5"}, ["document"])), [])
    text = ["a ", {"type": "bold", "text": {"type": "italic", "text": "b"}}]
    blocks = [{"type": "thinking", "text": "…"}, {"type": "list", "items": [{"blocks": [{"type": "paragraph", "text": text}]}]}]
    rich = {"chat_id": 5, "draft_id": 7, "rich_message": {"blocks": blocks}, "can_stop": True}
    equal(faults(call("sendRichMessageDraft", rich)), [])
    equal(faults(call("sendRichMessage", {"chat_id": 5, "rich_message": json.dumps({"markdown": "[a"})})), [])
    equal(faults(call("sendMessageDraft", {"chat_id": 5, "draft_id": 7, "text": "", "can_stop": True})), [])
    equal(faults(call("editMessageText", {"chat_id": 5, "message_id": 1, "rich_message": {"markdown": "a"}})), [])
    media = [{"type": "photo", "media": "attach://a"}, {"type": "photo", "media": "attach://b", "caption": "b"}]
    equal(faults(call("sendMediaGroup", {"chat_id": "5", "media": json.dumps(media)}, ["a", "b"])), [])
    equal(faults(call("SetMyCommands", {"commands": [{"command": "a", "description": "b"}], "scope": {"type": "default"}})), [])


@check("wrong calls are caught, with the place of the fault")
def wrong():
    def caught(method, params, part):
        found = faults(call(method, params))
        assert any(part in what for what in found), f"{params}: {found}"

    caught("sendTelepathy", {}, "no such method")
    caught("sendMessage", {"chat_id": 5}, "text: Field required")
    caught("sendMessage", {"chat_id": 5, "text": "a", "colour": 1}, "colour")
    caught("sendMessage", {"chat_id": [], "text": "a"}, "chat_id")
    caught("sendRichMessage", {"chat_id": 5}, "rich_message: Field required")
    caught("sendRichMessage", {"chat_id": 5, "rich_message": {"markdwn": "a"}}, "rich_message.markdwn")
    caught("sendRichMessageDraft", {"chat_id": 5, "rich_message": {"markdown": "a"}}, "draft_id: Field required")
    caught("sendMessageDraft", {"chat_id": 5, "draft_id": 7, "text": "a", "parse_mod": "HTML"}, "parse_mod")
    caught("sendMessageDraft", {"chat_id": 5, "draft_id": "seven", "text": "a"}, "draft_id")
    caught("sendMediaGroup", {"chat_id": 5, "media": [{"type": "photo", "media": "x", "captin": "a"}]}, "media[0].captin")

    def block(block, part):
        caught("sendRichMessage", {"chat_id": 5, "rich_message": {"blocks": [block]}}, part)

    place = "rich_message.blocks[0]."
    block({"type": "paragraph", "text": {"type": "bold", "text": "a", "colour": 1}}, place + "text.colour")
    block({"type": "paragraph", "text": ["a", {"type": "italic", "text": {"type": "code", "txt": "b"}}]}, "txt")
    block({"type": "pre", "text": "a", "lang": "sh"}, place + "lang")
    block({"type": "heading", "text": "a"}, "size: Field required")
    block({"type": "novel", "text": "a"}, "novel")
    deep = {"inline_keyboard": [[{"text": "a", "callback_dat": "b"}]]}
    caught("sendMessage", {"chat_id": 5, "text": "a", "reply_markup": deep}, "reply_markup.inline_keyboard[0][0].callback_dat")
    caught("sendMessage", {"chat_id": 5, "text": "a", "entities": [{"type": "bold", "offset": "x", "length": 1}]}, "entities.0.offset")


@check("a recording that lacks a method is not taken for one that has it")
def covers():
    lines = [
        {**call("getMe", {}), "status": 200},
        {**call("sendMessageDraft", {"chat_id": 5, "draft_id": 7, "text": "a"}), "status": 404},
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as recording:
        recording.write("\n".join(map(json.dumps, lines)))
        recording.flush()
        judge = [sys.executable, pathlib.Path(__file__).with_name("check_calls.py"), recording.name]

        def judged(methods):
            return subprocess.run([*judge, "--covers", methods], capture_output=True, text=True)

        equal(judged("getMe").returncode, 0)
        done = judged("getMe,sendMessageDraft")
        assert done.returncode == 1 and "no good call of sendMessageDraft" in done.stdout, done


@check("the fake's field lists are those of these classes")
def lists():
    here = pathlib.Path(__file__).resolve().parent
    written = subprocess.run([sys.executable, here / "bot_api.py"], capture_output=True, text=True, check=True).stdout
    kept = (here.parent / "src" / "telegram" / "bot_api.json").read_text()
    assert written == kept, "src/telegram/bot_api.json is out of date: write it again with bot_api.py"


asyncio.run(bench.run([right, wrong, covers, lists], "check_calls"))
bench.finish()

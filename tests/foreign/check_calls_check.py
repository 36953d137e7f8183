"""Sees to it that check_calls.py passes what is right and catches what is not."""

import asyncio
import pathlib
import subprocess
import sys

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
    deep = {"inline_keyboard": [[{"text": "a", "callback_dat": "b"}]]}
    caught("sendMessage", {"chat_id": 5, "text": "a", "reply_markup": deep}, "reply_markup.inline_keyboard[0][0].callback_dat")
    caught("sendMessage", {"chat_id": 5, "text": "a", "entities": [{"type": "bold", "offset": "x", "length": 1}]}, "entities.0.offset")


@check("the fake's field lists are those of these classes")
def lists():
    here = pathlib.Path(__file__).resolve().parent
    written = subprocess.run([sys.executable, here / "bot_api.py"], capture_output=True, text=True, check=True).stdout
    kept = (here.parent / "src" / "telegram" / "bot_api.json").read_text()
    assert written == kept, "src/telegram/bot_api.json is out of date: write it again with bot_api.py"


asyncio.run(bench.run([right, wrong, lists], "check_calls"))
bench.finish()

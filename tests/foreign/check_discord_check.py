"""Sees to it that check_discord.py passes what is right and catches what is not, at any depth."""

import asyncio
import copy

import bench
from bench import check, equal
from check_discord import Sample, distinct, judge, samples

USER = {"id": "5", "username": "alice", "discriminator": "0", "global_name": "Alice", "avatar": None}
BOT = {"id": "6", "username": "pensive", "discriminator": "0001", "global_name": None, "avatar": None, "bot": True}
MEMBER = {"roles": ["7"], "joined_at": "2026-12-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0}
BUTTON = {"type": 2, "style": 4, "label": "Stop", "custom_id": "halt:1"}
MENU = {"type": 3, "custom_id": "model", "options": [{"label": "Small", "value": "small", "default": True}]}
MESSAGE = {
    "id": "8", "channel_id": "9", "author": USER, "content": "Hi", "timestamp": "2026-12-01T00:00:00+00:00", "edited_timestamp": None, "tts": False,
    "mention_everyone": False, "mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "pinned": False, "type": 0, "flags": 0,
    "components": [{"type": 1, "id": 1, "components": [{**BUTTON, "id": 2}]}],
}  # fmt: skip
COMMAND = {
    "name": "think", "description": "How hard to think", "type": 1, "contexts": [0, 1],
    "options": [{"type": 3, "name": "level", "description": "How hard", "choices": [{"name": "high", "value": "high"}]}],
}  # fmt: skip
PRESS = {
    "id": "1", "application_id": "6", "type": 3, "token": "t", "version": 1, "user": USER, "channel_id": "9", "channel": {"id": "9", "type": 1},
    "data": {"component_type": 2, "custom_id": "halt:1"}, "message": MESSAGE, "locale": "en-GB", "entitlements": [], "context": 1,
    "authorizing_integration_owners": {"0": "0"}, "app_permissions": "0", "attachment_size_limit": 10,
}  # fmt: skip
IDENTIFY = {"token": "t", "intents": 37377, "properties": {"os": "linux", "browser": "a", "device": "a"}, "shard": [0, 1]}


def call(method, route, body=None, status=204, answer=None):
    return {"kind": "rest", "method": method, "route": route, "body": body, "status": status, "answer": answer, "fault": False}


def event(name, data):
    return {"kind": "event", "by_hand": False, "frame": {"op": 0, "t": name, "s": 3, "d": data}}


def signal(op, data):
    return {"kind": "event", "by_hand": False, "frame": {"op": op, "t": None, "s": None, "d": data}}


def command(op, data):
    return {"kind": "command", "by_hand": False, "frame": {"op": op, "d": data}}


SENT = {"content": "Hi", "flags": 64, "allowed_mentions": {"parse": [], "replied_user": False}, "components": [{"type": 1, "components": [BUTTON]}]}
GOOD = {
    "sent": call("POST", "/channels/{}/messages", SENT, 200, MESSAGE),
    "edited": call("PATCH", "/channels/{}/messages/{}", {"content": "Ho", "components": []}, 200, MESSAGE),
    "menu": call("POST", "/channels/{}/messages", {"content": "Which?", "components": [{"type": 1, "components": [MENU]}]}, 200, MESSAGE),
    "typing": call("POST", "/channels/{}/typing"),
    "commands": call("PUT", "/applications/{}/commands", [COMMAND]),
    "shown": call("POST", "/interactions/{}/{}/callback", {"type": 4, "data": {"content": "Only you", "flags": 64}}),
    "offered": call("POST", "/interactions/{}/{}/callback", {"type": 8, "data": {"choices": [{"name": "high", "value": "high"}]}}),
    "followed": call("POST", "/webhooks/{}/{}", {"content": "More", "flags": 64}, 200, MESSAGE),
    "limited": call("POST", "/channels/{}/typing", None, 429, {"message": "Slow down.", "retry_after": 0.3, "global": False}),
    "refused": call("GET", "/channels/{}", None, 404, {"message": "Unknown Channel", "code": 10003}),
    "created": event("MESSAGE_CREATE", {**MESSAGE, "guild_id": "1", "member": MEMBER, "mentions": [{**BOT, "member": MEMBER}]}),
    "pressed": event("INTERACTION_CREATE", PRESS),
    "resumed": event("RESUMED", {"_trace": ["gateway"]}),
    "hello": signal(10, {"heartbeat_interval": 41250}),
    "beaten": signal(11, None),
    "asked": signal(7, None),
    "invalid": signal(9, False),
    "identify": command(2, IDENTIFY),
    "resume": command(6, {"token": "t", "session_id": "s", "seq": 3}),
    "beat": command(1, None),
}

# A good one, the place of the change, what stands there then (nothing: it is gone), and a word of what the compiler says.
GONE = object()
BAD = [
    ("sent", "body.colour", 1, "colour"),
    ("sent", "body.allowed_mentions.parse", ["everybody"], "everybody"),
    ("sent", "body.components.0.components.0.style", 9, "'9' is not assignable"),
    ("sent", "body.components.0.components.0.lable", "a", "lable"),
    ("sent", "body.flags", "64", "'string' is not assignable"),
    ("sent", "answer.author.username", GONE, "'username' is missing"),
    ("sent", "answer.components.0.components.0.colour", 1, "colour"),
    ("edited", "body.content", 7, "'number' is not assignable"),
    ("menu", "body.components.0.components.0.options.0.value", GONE, "'value' is missing"),
    ("typing", "body", {"a": 1}, "does not satisfy the constraint"),
    ("commands", "body.0.options.0.choices.0.valeu", "a", "valeu"),
    ("commands", "body.0.contexts", [3], "'3' is not assignable"),
    ("commands", "body.0.options.0.type", 99, "'99' is not assignable"),
    ("shown", "body.type", 99, "99"),
    ("shown", "body.data.colour", 1, "colour"),
    ("offered", "body.data.choices.0.name", 5, "number"),
    ("followed", "body.tss", True, "tss"),
    ("limited", "answer.retry_after", "soon", "retry_after"),
    ("refused", "answer.code", GONE, "code"),
    ("created", "frame.d.mentions.0.member.roles", 3, "number"),
    ("created", "frame.d.member.colour", 1, "colour"),
    ("created", "frame.d.type", 99, "99"),
    ("created", "frame.s", None, "null"),
    ("created", "frame.t", "MESSAGE_CREAT", "MESSAGE_CREAT"),
    ("pressed", "frame.d.data.custom_id", GONE, "custom_id"),
    ("pressed", "frame.d.locale", "tlh", "tlh"),
    ("pressed", "frame.d.message.author.id", 5, "number"),
    ("hello", "frame.d.heartbeat_interval", "soon", "string"),
    ("beaten", "frame.op", 12, "12"),
    ("invalid", "frame.d", "no", "string"),
    ("identify", "frame.d.shard", [0, 1, 2], "undefined"),
    ("identify", "frame.d.properties.colour", 1, "colour"),
    ("identify", "frame.d.intents", GONE, "intents"),
    ("resume", "frame.d.seq", "3", "string"),
    ("beat", "frame.d", True, "boolean"),
]  # fmt: skip


def changed(record, place, value):
    record = copy.deepcopy(record)
    *path, last = [int(part) if part.isdigit() else part for part in place.split(".")]
    inner = record
    for part in path:
        inner = inner[part]
    if value is GONE:
        del inner[last]
    else:
        inner[last] = value
    return record


@check("right values pass")
def right():
    equal(judge([sample for record in GOOD.values() for sample in samples(record)]), [])


@check("what is unknown, wrong or missing is caught at any depth, and told by its place")
def wrong():
    found = [Sample(*sample[:2], f"{number}") for number, (name, *change, _) in enumerate(BAD) for sample in samples(changed(GOOD[name], *change))]
    told = {int(sample.where): " ".join(what) for sample, what in judge(found)}
    for number, (name, place, value, word) in enumerate(BAD):
        assert word in told.get(number, ""), f"{name} with another {place}: {told.get(number)}"


@check("of values that the types cannot tell apart one is judged, and no other is passed over")
def shapes():
    def same(one, other, alike):
        records = [call("POST", "/channels/{}/messages", body) for body in (one, other)]
        equal(len(distinct([sample for record in records for sample in samples(record)])), 1 if alike else 2)

    same({"content": "Hi"}, {"content": "Ho, ho"}, True)
    same({"content": "Hi"}, {"content": 5}, False)
    same({"tts": True}, {"tts": 1}, False)
    same({"content": "Hi"}, {"content": "Hi", "colour": 1}, False)
    same({"components": [{"type": 2, "style": 1}]}, {"components": [{"type": 2, "style": 9}]}, False)
    same({"components": [{"type": 2}]}, {"components": [{"type": 2}, {"type": 2}]}, True)
    same({"components": [{"type": 2}]}, {"components": [{"type": 2}, {"type": 3}]}, False)
    same({"allowed_mentions": {"parse": ["users"]}}, {"allowed_mentions": {"parse": ["roles"]}}, False)
    same({"message_reference": {"message_id": "17"}}, {"message_reference": {"message_id": "18"}}, True)


@check("events that a test wrote itself, calls without a token and answers that a fault made are not judged")
def passed_over():
    odd = {**GOOD["created"], "by_hand": True}
    unsigned = {**GOOD["sent"], "status": 401, "answer": {"message": "401: Unauthorized", "code": 0}}
    broken = {**GOOD["typing"], "status": 500, "answer": {"oops": 1}, "fault": True}
    equal([sample.type for record in (odd, unsigned, broken) for sample in samples(record)], ["Refusal"])


asyncio.run(bench.run([right, wrong, shapes, passed_over], "check_discord"))
bench.finish()

"""Holds what was recorded of Discord against the types of discord-api-types: the bodies of REST calls and their answers, and the frames of the
gateway in both directions.

usage: target/foreign/bin/python tests/foreign/check_discord.py [--foreign] [--covers NAME,…] FILE_OR_FOLDER …

Reads JSON lines as the Discord fake records them (`discord-*.jsonl` of a folder), writes each shape once into a TypeScript file, as a constant
of the type that its route or event has (discord/wire.ts), and lets the compiler read it: unknown keys, words and types are caught at any depth.
Prints what is wrong and exits 1 when something is, or when there were no bodies, no events or no commands at all.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import typing

import node

HOME = node.install(pathlib.Path(__file__).resolve().parent / "discord")
JUDGED = HOME / "judged.ts"
# By its path: what npm has linked goes by the `node` of the machine.
COMPILER = HOME / "node_modules" / "typescript" / "bin" / "tsc"

# Text that anything may stand in: it does not make another shape of a value.
FREE = {
    "content", "name", "username", "global_name", "nick", "label", "value", "placeholder", "title", "description", "text", "custom_id", "token",
    "session_id", "nonce", "filename", "url", "proxy_url", "resume_gateway_url", "topic", "message", "hash", "original", "refreshed", "verify_key",
    "os", "browser", "device", "default_value", "footer", "icon_url",
}  # fmt: skip
# Numbers that count, and mean nothing by themselves.
COUNTED = {
    "s", "seq", "flags", "public_flags", "intents", "size", "width", "height", "position", "member_count", "message_count", "total_message_sent",
    "timestamp", "retry_after", "remaining", "reset_after", "heartbeat_interval", "duration_secs", "code", "id", "approximate_guild_count",
}  # fmt: skip


class Sample(typing.NamedTuple):
    """A value and the type that it must have; `where` names the record that it was first seen in."""

    type: str
    value: object
    where: str


def samples(record, where=""):
    """What there is to judge about a record."""
    if record["kind"] == "rest":
        yield from rest(record, where)
    elif record["kind"] == "command":
        yield Sample("Command", record["frame"], where)
    # What a test has written itself may be as strange as it likes.
    elif not record["by_hand"]:
        frame = record["frame"]
        yield Sample(f'Event<"{frame["t"]}">' if frame["op"] == 0 else "Signal", frame, where)


def rest(record, where):
    route = f"{record['method']} {record['route']}"
    # A call without a token is asked who it is before anybody reads what it wants.
    if record["body"] is not None and record["status"] != 401:
        yield Sample(f'Body<"{route}">', record["body"], where)
    if record["answer"] is None or record["fault"]:
        return
    if 200 <= record["status"] < 300:
        yield Sample(f'Answer<"{route}">', record["answer"], where)
    elif record["status"] >= 400:
        yield Sample("Refusal", record["answer"], where)


def shape(value, key=""):
    """What two values have in common that the types cannot tell apart."""
    match value:
        case dict():
            return tuple((name, shape(item, name)) for name, item in sorted(value.items()))
        case list() if value and isinstance(value[0], (dict, list)):
            return frozenset(shape(item, key) for item in value)
        case list():
            return tuple(shape(item, key) for item in value)
        case bool():
            # To Python, 1 is the same as True.
            return (bool, value)
        case None:
            return None
        case str():
            free = key in FREE or re.fullmatch(r"\d+|[\d-]+T[\d:.]+\S*", value)
            return str if free else value
        case int() | float():
            return int if key in COUNTED or abs(value) > 100_000 else value


def distinct(found):
    """The first of each shape."""
    known = {}
    for sample in found:
        # A heartbeat names the number of the last event.
        beats = sample.type == "Command" and sample.value.get("op") == 1 and sample.value.get("d") is not None
        known.setdefault((sample.type, "beat" if beats else shape(sample.value)), sample)
    return list(known.values())


def judge(found):
    """What the compiler has against each sample that it has something against."""
    head = 'import type { Answer, Body, Command, Event, Refusal, Signal } from "./wire.ts";'
    constants = [f"export const _{number}: {sample.type} = {json.dumps(sample.value)};" for number, sample in enumerate(found)]
    lines = [head, *constants]
    JUDGED.write_text("\n".join(lines) + "\n")
    done = subprocess.run([node.NODE, COMPILER, "--project", HOME], stdout=subprocess.PIPE, text=True)
    faults = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        if place := re.match(r"(?:.*/)?judged\.ts\((\d+),(\d+)\): error \w+: (.*)", line):
            row, column = int(place[1]) - 1, int(place[2]) - 1
            faults[row - 1].append(f"{place[3]}\n    at {lines[row][column:][:120]}")
        elif line.startswith(" ") and faults:
            faults[row - 1][-1] += f"\n    {line}"
        elif line:
            raise RuntimeError(f"the compiler says: {done.stdout}")
    if done.returncode and not faults:
        raise RuntimeError(f"the compiler ended with {done.returncode}")
    return [(found[place], what) for place, what in faults.items()]


def lines(paths):
    for path in paths:
        for file in sorted(path.glob("discord-*.jsonl")) if path.is_dir() else [path]:
            for number, line in enumerate(file.read_text().splitlines(), 1):
                yield f"{file.name}:{number}", line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--covers", default="", help="routes and events, by commas, that there must be something of")
    parser.add_argument("--foreign", action="store_true", help="judge only what the fake said: the clients are not ours")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    found = []
    for where, line in lines(arguments.paths):
        try:
            found += samples(json.loads(line), where)
        except (ValueError, KeyError, TypeError) as error:
            print(f"{where}: no record: {error!r}\n    {line[:400]}")
            return 1
    kinds = collections.Counter(sample.type.partition("<")[0] for sample in found)
    judged = [sample for sample in found if not (arguments.foreign and sample.type.startswith(("Body", "Command")))]
    shapes = distinct(judged)
    bad = judge(shapes)
    for sample, what in bad:
        print(f"{sample.where} {sample.type}:", *what, sep="\n    ")
    counts = ", ".join(f"{name} {count}" for name, count in kinds.most_common())
    print(f"{len(judged)} values checked in {len(shapes)} shapes, {len(bad)} bad; {counts}")
    held = " ".join(sample.type for sample in found)
    missed = [name for name in filter(None, arguments.covers.split(",")) if f'"{name}"' not in held]
    missed += [name for name in ("Body", "Answer", "Event", "Command") if not kinds[name]]
    if missed:
        print(f"nothing was recorded of {', '.join(missed)}")
    return 1 if bad or missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Holds recorded Telegram calls against aiogram's method classes.

usage: target/foreign/bin/python tests/foreign/check_calls.py FILE_OR_FOLDER …

Reads JSON lines as the Telegram fake records them. A call must be of a method that the classes know, have no key that they do not
declare (aiogram itself lets those pass), have every key that is required and values of the declared types. Calls that the fake refused as
malformed are in the recording too; pass --ok-only to look at good answers alone. Prints each bad line and exits 1 when there is one.
"""

import argparse
import json
import pathlib
import sys
import typing

import aiogram.methods
from aiogram.methods.base import TelegramMethod
from pydantic import BaseModel, ValidationError

METHODS = {
    method.__api_method__.lower(): method
    for method in vars(aiogram.methods).values()
    if isinstance(method, type) and issubclass(method, TelegramMethod) and isinstance(method.__api_method__, str)
}


def decode(value):
    """Form fields carry objects and arrays as text."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def models(annotation):
    """The model classes that may stand at this place."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in typing.get_args(annotation) for model in models(part)]


def fields(model):
    return {field.alias or name: field for name, field in model.model_fields.items()}


def unknown(value, candidates, path):
    """Keys that none of the classes at this place declares; the class with the fewest is taken to be meant."""
    if isinstance(value, list):
        return [key for place, item in enumerate(value) for key in unknown(item, candidates, f"{path}[{place}]")]
    if not isinstance(value, dict) or not candidates:
        return []

    def strange(model):
        known = fields(model)
        found = [f"{path}.{key}" for key in value if key not in known]
        inner = ((key, item) for key, item in value.items() if key in known)
        return found + [bad for key, item in inner for bad in unknown(item, models(known[key].annotation), f"{path}.{key}")]

    return min((strange(model) for model in candidates), key=len)


def faults(call):
    """What is wrong with one recorded call."""
    method = METHODS.get(call["method"].lower())
    if method is None:
        return [f"no such method: {call['method']}"]
    files = {part for part, _ in call.get("files", [])}
    known = fields(method)
    loose = {key: known[key].annotation for key in call["params"] if key in known}
    # A field of plain text that looks like JSON stays text.
    given = {
        key: value if key in loose and not models(loose[key]) and "list" not in str(loose[key]) else decode(value)
        for key, value in call["params"].items()
    }
    found = [key.lstrip(".") for key in unknown(given, [method], "")]
    given.update({part: f"attach://{part}" for part in files if part in known})
    try:
        method.model_validate({key: value for key, value in given.items() if key in known})
    except ValidationError as error:
        found += [f"{'.'.join(map(str, entry['loc']))}: {entry['msg']}" for entry in error.errors()]
    return found


def lines(paths):
    for path in paths:
        for file in sorted(path.glob("telegram-*.jsonl")) if path.is_dir() else [path]:
            for number, line in enumerate(file.read_text().splitlines(), 1):
                yield f"{file.name}:{number}", line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ok-only", action="store_true", help="pass over calls that were not answered with 200")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    seen = bad = 0
    for place, line in lines(arguments.paths):
        try:
            call = json.loads(line)
            if arguments.ok_only and call["status"] != 200:
                continue
            if call["params"] is None and call["status"] == 0:
                # Reset before a word of it was read.
                continue
            found = faults(call)
        except (ValueError, KeyError, TypeError) as error:
            call, found = {}, [f"no recorded call: {error!r}"]
        seen += 1
        if found:
            bad += 1
            print(f"{place} {call.get('method', '?')}: {'; '.join(found)}\n    {line[:400]}")
    print(f"{seen} calls checked, {bad} bad")
    return 1 if bad or not seen else 0


if __name__ == "__main__":
    sys.exit(main())

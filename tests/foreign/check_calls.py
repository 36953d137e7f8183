"""Holds recorded Telegram calls against aiogram's method classes.

usage: target/foreign/bin/python tests/foreign/check_calls.py [--covers METHOD,…] FILE_OR_FOLDER …

Reads JSON lines as the Telegram fake records them. A call must be of a method that the classes know, have no key that they do not
declare (aiogram itself lets those pass), have every key that is required and values of the declared types. Calls that the fake refused as
malformed are in the recording too; pass --ok-only to look at good answers alone. Prints each bad line and exits 1 when there is one, or when
there is no good call of a method that the recording has to cover.
"""

import argparse
import collections
import functools
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


def spread(annotation, seen):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return (annotation,)
    # Rich text is a named union that contains lists of itself.
    if hasattr(annotation, "__value__"):
        if annotation.__name__ in seen:
            return ()
        return spread(annotation.__value__, seen | {annotation.__name__})
    return tuple(model for part in typing.get_args(annotation) for model in spread(part, seen))


@functools.cache
def models(annotation):
    """The model classes that may stand at this place."""
    return spread(annotation, frozenset())


def fields(model):
    return {field.alias or name: field for name, field in model.model_fields.items()}


def word(model):
    """The literals that the model's `type` may be."""
    field = model.model_fields.get("type")
    return typing.get_args(field.annotation) if field and typing.get_origin(field.annotation) is typing.Literal else ()


def unknown(value, candidates, path):
    """Keys that none of the classes at this place declares; the class with the fewest is taken to be meant."""
    if isinstance(value, list):
        return [key for place, item in enumerate(value) for key in unknown(item, candidates, f"{path}[{place}]")]
    if not isinstance(value, dict) or not candidates:
        return []

    # Where the classes name what they are, a value belongs to the one of its name.
    named = [model for model in candidates if value.get("type") in word(model)]
    candidates = named or candidates

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
    parser.add_argument("--covers", default="", help="methods, by commas, of which there must be a good call")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    seen = bad = 0
    good = collections.Counter()
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
        if not found and call["status"] == 200:
            good[call["method"]] += 1
        if found:
            bad += 1
            print(f"{place} {call.get('method', '?')}: {'; '.join(found)}\n    {line[:400]}")
    print(f"{seen} calls checked, {bad} bad; good ones: {', '.join(f'{name} {count}' for name, count in good.most_common())}")
    missed = [method for method in filter(None, arguments.covers.split(",")) if not good[method]]
    if missed:
        print(f"no good call of {', '.join(missed)}")
    return 1 if bad or missed or not seen else 0


if __name__ == "__main__":
    sys.exit(main())

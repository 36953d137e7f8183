"""Writes src/telegram/bot_api.json, the field lists that the Telegram fake checks calls against, from aiogram's classes.

usage: python bot_api.py > ../src/telegram/bot_api.json   (needs aiogram; the version is kept in the file)
"""

import json
import types
import typing

import aiogram
import aiogram.methods
import aiogram.types
from aiogram.client.default import Default
from aiogram.types.base import UNSET_TYPE
from pydantic import BaseModel

PLAIN = {int: "int", str: "str", bool: "bool", float: "float", bytes: "str"}
seen = {}


def kind(annotation):
    """One word per shape: int, str, bool, float, file, any, =literal, [item], Name, and a|b for a choice."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return kind(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        parts = [kind(a) for a in typing.get_args(annotation) if a not in (type(None), Default, UNSET_TYPE)]
        return "|".join(dict.fromkeys(parts))
    if origin is list:
        return "[" + kind(typing.get_args(annotation)[0]) + "]"
    if origin is typing.Literal:
        return "|".join("=" + str(getattr(a, "value", a)) for a in typing.get_args(annotation))
    if annotation in PLAIN:
        return PLAIN[annotation]
    name = getattr(annotation, "__name__", str(annotation))
    if name == "InputFile":
        return "file"
    if name in ("datetime", "timedelta", "DateTime"):
        return "int"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if name not in seen:
            seen[name] = None
            seen[name] = fields(annotation)
        return name
    return "any"


def fields(model):
    """Field name to kind; a trailing `!` marks what must be given."""
    rows = {}
    for name, field in model.model_fields.items():
        word = kind(field.annotation)
        if word.startswith("="):
            rows[field.alias or name] = word + "!"
        else:
            rows[field.alias or name] = word + ("!" if field.is_required() else "")
    return rows


methods = {}
for name in aiogram.methods.__all__:
    method = getattr(aiogram.methods, name)
    if isinstance(getattr(method, "__api_method__", None), str):
        methods[method.__api_method__] = fields(method)

print('{"source": "aiogram %s, Bot API %s",' % (aiogram.__version__, aiogram.__api_version__))
for title, table, end in (("methods", methods, ","), ("types", seen, "}")):
    print('"%s": {' % title)
    print(",\n".join("%s: %s" % (json.dumps(k), json.dumps(table[k])) for k in sorted(table)))
    print("}" + end)

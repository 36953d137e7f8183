"""Holds recorded request bodies against the parameter types of the vendors' own libraries.

usage: target/foreign/bin/python tests/foreign/check_bodies.py FILE_OR_FOLDER …

Reads JSON lines as the model fake records them (`model-*.jsonl` of a folder). A body must have no key that the types do not declare, every
required key, and values of the declared types. What other vendors add to a shape is listed in dialects.py, a reason and a source each; an
entry that no body needed is named. Prints each bad body and exits 1 when there is one, or when a shape was not seen at all.
"""

import argparse
import collections
import copy
import functools
import json
import pathlib
import re
import sys
import typing

import anthropic.types.beta.message_create_params
import anthropic.types.message_create_params
import ollama._types
import openai.types.chat.completion_create_params
import openai.types.responses.response_create_params
from google.genai import types as genai
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic_core import SchemaValidator, ValidationError

import dialects

# Marks the part of an error's place that names a branch of a union and no part of the body.
BRANCH = "|"

# Keys of a schema that say nothing of what is valid.
SILENT = ("metadata", "serialization")


class GenerateContent(BaseModel):
    """Google's body; its library knows the parts, but takes them in another arrangement."""

    model_config = ConfigDict(extra="forbid")

    contents: list[genai.Content]
    systemInstruction: genai.Content = None
    tools: list[genai.Tool] = None
    toolConfig: genai.ToolConfig = None
    safetySettings: list[genai.SafetySetting] = None
    generationConfig: genai.GenerationConfig = None
    cachedContent: str = None
    serviceTier: genai.ServiceTier = None
    store: bool = None


TYPES = {
    "responses": openai.types.responses.response_create_params.ResponseCreateParamsStreaming,
    "chat": openai.types.chat.completion_create_params.CompletionCreateParamsStreaming,
    "anthropic": anthropic.types.message_create_params.MessageCreateParamsStreaming,
    "anthropic beta": anthropic.types.beta.message_create_params.MessageCreateParamsStreaming,
    "gemini": GenerateContent,
    "ollama": ollama._types.ChatRequest,
}
SHAPES = [shape for shape in TYPES if " " not in shape]


class Strict:
    """A pydantic schema made unforgiving: the libraries' own lets unknown keys and words pass, reads an `Iterable` only when somebody asks
    for its items, and takes any object where one of its classes may stand too.
    """

    def __init__(self, annotation):
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            annotation.model_rebuild(force=True)
        schema = TypeAdapter(annotation).core_schema
        self.known = {}
        self.collect(schema)
        self.validator = SchemaValidator(self.tighten(schema))

    def collect(self, node):
        """Files every schema that others refer to."""
        if isinstance(node, dict):
            # A class may have a field of that name.
            if isinstance(node.get("ref"), str):
                self.known[node["ref"]] = node
            for key, inner in node.items():
                if key not in SILENT:
                    self.collect(inner)
        elif isinstance(node, (list, tuple)):
            for inner in node:
                self.collect(inner)

    def tighten(self, node):
        if isinstance(node, (list, tuple)):
            return type(node)(self.tighten(inner) for inner in node)
        if not isinstance(node, dict):
            return node
        match node.get("type"):
            case "json-or-python":
                return self.tighten(node["json_schema"])
            case "lax-or-strict":
                return self.tighten(node["strict_schema"])
            case "function-before" | "function-after" | "function-wrap":
                # Checks in Python that come with a class are for objects, not for what was read from JSON.
                return self.tighten({**node["schema"], **{key: node[key] for key in ("ref",) if key in node}})
        tight = {key: self.tighten(inner) for key, inner in node.items() if key not in SILENT}
        match node.get("type"):
            case "generator":
                tight["type"] = "list"
            case "typed-dict" if "extras_schema" not in node:
                tight["extra_behavior"] = "forbid"
            case "model":
                tight = self.dictionary(node)
            case "enum":
                tight.pop("missing", None)
            case "union" | "tagged-union":
                tight = self.union(node)
        return tight

    def dictionary(self, node):
        """A class as a typed dict: for a class itself the validator would take the one that the class has built before."""
        fields = node["schema"]
        while fields["type"] != "model-fields":
            fields = fields["schema"]
        named = {
            # Aliases are the wire's names; those of Python are not.
            field.get("validation_alias", name): {
                "type": "typed-dict-field",
                "schema": self.tighten(field["schema"]),
                "required": field["schema"]["type"] != "default",
            }
            for name, field in fields["fields"].items()
        }
        kept = {"config": {"val_json_bytes": "base64"}, **{key: node[key] for key in ("ref",) if key in node}}
        return {"type": "typed-dict", "fields": named, "extra_behavior": "forbid", **kept}

    def union(self, node):
        """Without the branches that would take everything, the others named."""
        choices = node["choices"].values() if isinstance(node["choices"], dict) else node["choices"]
        choices = [choice[0] if isinstance(choice, tuple) else choice for choice in choices]
        kinds = [self.kind(choice) for choice in choices]
        # Typed dicts are what is sent; models beside them are what was received, and allow anything.
        unwanted = {"model"} if "typed-dict" in kinds else {"dict"} if "model" in kinds else set()
        kept = [choice for choice, kind in zip(choices, kinds) if kind not in unwanted]
        named = [(self.tighten(choice), f"{BRANCH}{place}") for place, choice in enumerate(kept)]
        return {"type": "union", "choices": named, **{key: node[key] for key in ("ref",) if key in node}}

    def kind(self, node):
        if node["type"] == "definition-ref":
            return self.kind(self.known[node["schema_ref"]])
        if node["type"] in ("json-or-python", "function-before", "function-after", "function-wrap", "nullable", "default"):
            return self.kind(node.get("json_schema") or node["schema"])
        return node["type"]

    def faults(self, value):
        """Places and what is wrong there."""
        try:
            self.validator.validate_json(json.dumps(value), strict=True)
        except ValidationError as error:
            return settle(error.errors(include_url=False, include_context=False))
        return []


def settle(errors, depth=0):
    """Of the branches of a union that all fail, the faults of the one that was meant."""
    found = [error for error in errors if len(error["loc"]) == depth]
    groups = collections.defaultdict(list)
    for error in errors:
        if len(error["loc"]) > depth:
            groups[error["loc"][depth]].append(error)
    settled = {part: settle(group, depth + 1) for part, group in groups.items()}
    branches = [faults for part, faults in settled.items() if str(part).startswith(BRANCH)]
    if branches:
        found += min(branches, key=lambda faults: sum(weight(fault, depth + 1) for fault in faults))
    return found + [fault for part, faults in settled.items() if not str(part).startswith(BRANCH) for fault in faults]


def weight(fault, depth):
    """How much a fault speaks against the branch that it was found in: a wrong tag more than a wrong field, and another type most."""
    below = [part for part in fault["loc"][depth:] if not str(part).startswith(BRANCH)]
    if not below:
        return 1000
    if len(below) > 1:
        return 1
    return {"literal_error": 100, "missing": 10}.get(fault["type"], 2)


def place(loc):
    """`messages[0].content`."""
    parts = [part for part in loc if not str(part).startswith(BRANCH)]
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")


strict = functools.cache(Strict)


@functools.cache
def allowed(entry):
    return Strict(entry.value)


def model(record):
    """Gemini's model stands in the path."""
    named = re.search(r"/models/([^:]+)", record["path"])
    return record["body"].get("model") or (named and named[1]) or ""


def excused(record, where, value):
    """The entry of the table that this is for."""
    bare = re.sub(r"\[\d+\]", "[]", where)
    for entry in dialects.TABLE:
        # A `*` stands for one name.
        path = re.escape(entry.path).replace(r"\*", r"[^.\[\]]+")
        fits = entry.shape == record["shape"] and re.fullmatch(path, bare) and re.fullmatch(entry.models, model(record))
        if fits and not allowed(entry).faults(value):
            return entry
    return None


def judge(record):
    """What is wrong with a body, and the entries of the table that it needed."""
    shape = record["shape"]
    if shape == "anthropic" and "anthropic-beta" in record["headers"]:
        shape = "anthropic beta"
    found, needed = [], []
    for fault in strict(TYPES[shape]).faults(record["body"]):
        where = place(fault["loc"])
        entry = excused(record, where, copy.copy(fault["input"]))
        if entry and fault["type"] != "missing":
            needed.append(entry)
        else:
            found.append(f"{where}: {fault['msg']}")
    return found, needed


def faults(record):
    return judge(record)[0]


def lines(paths):
    for path in paths:
        for file in sorted(path.glob("model-*.jsonl")) if path.is_dir() else [path]:
            for number, line in enumerate(file.read_text().splitlines(), 1):
                yield f"{file.name}:{number}", line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    seen, used, bad = collections.Counter(), collections.Counter(), 0
    for where, line in lines(arguments.paths):
        try:
            record = json.loads(line)
            found, needed = judge(record)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            record, found, needed = {}, [f"no recorded body: {error!r}"], []
        seen[record.get("shape", "?")] += 1
        used.update(needed)
        if found:
            bad += 1
            print(f"{where} {record.get('shape', '?')}: {'; '.join(found)}\n    {line[:600]}")
    for entry in dialects.TABLE:
        if not used[entry]:
            print(f"no body needed the exception for {entry.shape} {entry.path} of {entry.models}")
    unseen = [shape for shape in SHAPES if not seen[shape]]
    for shape in unseen:
        print(f"no body of the shape {shape}")
    print(f"{', '.join(f'{count} {shape}' for shape, count in sorted(seen.items()))}: {bad} bad")
    return 1 if bad or unseen else 0


if __name__ == "__main__":
    sys.exit(main())

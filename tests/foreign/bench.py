"""What the scripts share: a checker that goes on after a failure, and the fakes' control endpoint."""

import asyncio
import json
import sys
import time
import traceback
import urllib.error
import urllib.request

failures = 0


def check(name):
    """Marks a check; it passes when it ends. Coroutines are awaited by `run`."""

    def mark(function):
        function.check = name
        return function

    return mark


def note(name, error=None):
    global failures
    if error is None:
        print(f"ok {name}", flush=True)
        return
    failures += 1
    traceback.print_exception(error, file=sys.stderr)
    print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)


async def run(checks, prefix):
    """Runs the checks in order, each within a limit."""
    for function in checks:
        name = f"{prefix}: {function.check}"
        try:
            result = function()
            if asyncio.iscoroutine(result):
                await asyncio.wait_for(result, 30)
            note(name)
        except Exception as error:
            note(name, error)


def finish():
    sys.exit(1 if failures else 0)


class Control:
    """Orders for a fake: `control.say(from_=1, text="hi")`; a trailing underscore keeps a name from being a keyword."""

    def __init__(self, url):
        self.url = url.removesuffix("/v1") + "/_control"

    def __getattr__(self, verb):
        return lambda **fields: self.order(verb, fields)

    def order(self, verb, fields):
        body = {"do": verb, **{name.rstrip("_"): value for name, value in fields.items()}}
        request = urllib.request.Request(self.url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=40) as answer:
                return json.load(answer)["result"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{verb}: {error.read().decode()}") from error

    async def sent(self, chat, text, method="sendMessage"):
        """The first call of this method to this chat whose text contains `text`."""

        def look():
            after = 0
            for _ in range(20):
                for call in self.calls(method=method, after=after, wait=1):
                    after = call["number"]
                    if str(call["params"].get("chat_id")) == str(chat) and text in call["params"].get("text", ""):
                        return call
            raise AssertionError(f"no {method} with {text!r} came")

        return await asyncio.to_thread(look)

    async def answered(self, press):
        """What a bot answered to a pressed button."""
        for _ in range(200):
            answer = await asyncio.to_thread(self.press_answer, id=press["id"])
            if answer is not None:
                return answer
            await asyncio.sleep(0.05)
        raise AssertionError("the press was not answered")


def equal(left, right):
    assert left == right, f"{left!r} is not {right!r}"


def raises(kind, call, part=""):
    """The error of that kind which a call ends with; its words hold `part`."""
    try:
        call()
    except kind as error:
        assert part in str(error), f"{part!r} is not in {error}"
        return error
    raise AssertionError(f"no {kind.__name__}")


class Discord(Control):
    """Orders for the Discord fake."""

    async def seen(self, text, by, channel=None):
        """A message of a bot's with this text, as soon as this person sees it there; without a channel, in their direct one."""

        def look():
            for _ in range(400):
                for message in self.sees(from_=by, channel=channel):
                    if message["by_bot"] and text in message["text"]:
                        return message
                time.sleep(0.025)
            raise AssertionError(f"{text!r} did not come")

        return await asyncio.to_thread(look)

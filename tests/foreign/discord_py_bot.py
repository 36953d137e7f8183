"""A small discord.py bot on the Discord fake; people are played through its control endpoint."""

import asyncio
import io
import logging
import sys
import typing

import bench
import discord
from bench import check, equal
from discord import app_commands

URL, TOKEN = sys.argv[1:3]
discord.http.Route.BASE = f"{URL}/api/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = discord.gateway.yarl.URL(URL.replace("http", "ws", 1))
# It tells of every reconnection, which is what is tried here.
logging.disable(logging.CRITICAL)

people = bench.Discord(URL)
alice, bob = "Alice", "Bob"
guild = people.guild(name="Garden", members=[alice, bob])["id"]
general = people.channel(guild="Garden", name="general")["id"]
people.beat_every(milliseconds=500)

intents = discord.Intents.default()
intents.message_content = True


class Bot(discord.Client):
    async def before_identify_hook(self, shard_id, *, initial=False):
        """Nothing: by itself it waits five seconds, and takes its line for dead meanwhile."""


# It takes a line for dead when nothing came for that long.
bot = Bot(intents=intents, guild_ready_timeout=0.2, heartbeat_timeout=1.5)
tree = app_commands.CommandTree(bot)


async def heard(event, order, check=None, **fields):
    """What the bot hears of what a person does."""
    waiting = asyncio.ensure_future(bot.wait_for(event, check=check, timeout=10))
    await asyncio.sleep(0)
    await asyncio.to_thread(getattr(people, order), **fields)
    return await waiting


async def said(text, by=alice, channel=general, **fields):
    return await heard("message", "say", lambda message: message.content == text, from_=by, channel=channel, text=text, **fields)


async def seen(text, by=alice, channel=general):
    return await people.seen(text, by, channel)


class Ways(discord.ui.View):
    """A row of buttons and a menu; what is done with them is told in the message itself."""

    @discord.ui.button(label="Left", style=discord.ButtonStyle.danger, custom_id="left")
    async def left(self, interaction, _):
        await interaction.response.edit_message(content=f"{interaction.user.display_name} went left.", view=None)

    @discord.ui.button(label="Whisper", custom_id="whisper")
    async def whisper(self, interaction, _):
        await interaction.response.send_message("Nobody else reads this.", ephemeral=True)

    @discord.ui.select(placeholder="Which way?", custom_id="way", options=[discord.SelectOption(label=word) for word in ("Up", "Down")])
    async def way(self, interaction, menu):
        await interaction.response.defer()
        await interaction.edit_original_response(content=f"{interaction.user.display_name} went {menu.values[0]}.")


@tree.command(description="How hard to think")
@app_commands.describe(level="How hard")
async def think(interaction: discord.Interaction, level: typing.Literal["low", "high"]):
    await interaction.response.send_message(f"Thinking {level}.", ephemeral=True)
    await interaction.edit_original_response(content=f"Thinking {level}, from now on.")


@tree.command(description="Which model")
@app_commands.describe(name="Which one")
async def model(interaction: discord.Interaction, name: str):
    await interaction.response.defer(ephemeral=True, thinking=True)
    await interaction.followup.send(f"The model is {name}.")
    further = await interaction.followup.send("And more of it.", ephemeral=True, wait=True)
    await further.edit(content="And less of it.")


@model.autocomplete("name")
async def offer(_, typed):
    return [app_commands.Choice(name=word.title(), value=word) for word in ("small", "medium", "large") if typed in word]


@check("a bot logs in and is shown itself and its guild")
async def login():
    await asyncio.wait_for(bot.wait_until_ready(), 10)
    equal((bot.user.bot, bot.application_id), (True, bot.user.id))
    equal([(place.name, [channel.name for channel in place.text_channels]) for place in bot.guilds], [("Garden", ["general"])])
    equal(bot.get_guild(int(guild)).me.id, bot.user.id)


@check("commands are registered, for all and for a guild, and listed")
async def register():
    equal([command.name for command in await tree.sync()], ["think", "model"])
    level = (await tree.fetch_commands())[0].options[0]
    equal([choice.value for choice in level.choices], ["low", "high"])
    tree.copy_global_to(guild=discord.Object(guild))
    equal(len(await tree.sync(guild=discord.Object(guild))), 2)
    tree.clear_commands(guild=discord.Object(guild))
    equal(await tree.sync(guild=discord.Object(guild)), [])


@check("a message comes with its content, is answered, and the answer edited and deleted")
async def messages():
    message = await said("hello 😀")
    equal((message.author.display_name, message.guild.name, message.channel.name), ("Alice", "Garden", "general"))
    answer = await message.reply("hello yourself", mention_author=False)
    equal(((await seen("hello yourself"))["reply_to"], answer.reference.message_id), (str(message.id), message.id))
    await answer.edit(content="good evening")
    equal((await seen("good evening"))["edited"], True)
    equal((await bot.get_channel(int(general)).fetch_message(answer.id)).content, "good evening")
    await answer.delete()
    equal([one for one in people.sees(from_=alice, channel=general) if one["by_bot"]], [])
    changed = await heard("message_edit", "edit", from_=alice, message=str(message.id), channel=general, text="hullo")
    equal([one.content for one in changed], ["hello 😀", "hullo"])


@check("an embed and a row of typing go out, the history comes back")
async def embeds():
    channel = bot.get_channel(int(general))
    async with channel.typing():
        await channel.send(embed=discord.Embed(title="News", description="None.", colour=0x3355AA))
    history = [message async for message in channel.history(limit=2)]
    equal((history[0].embeds[0].title, history[1].content), ("News", "hullo"))


@check("files go both ways")
async def files():
    channel = bot.get_channel(int(general))
    sent = await channel.send("Notes:", files=[discord.File(io.BytesIO(b"one"), "one.txt"), discord.File(io.BytesIO(b"\x00\xff"), "two.bin")])
    equal([(file.filename, await file.read()) for file in sent.attachments], [("one.txt", b"one"), ("two.bin", b"\x00\xff")])
    message = await said("a photo", files=[["cat.png", "image/png", "purr"]])
    equal([(file.filename, file.content_type, await file.read()) for file in message.attachments], [("cat.png", "image/png", b"purr")])


@check("a thread is opened, spoken in from both sides")
async def threads():
    message = await said("let us go in there")
    thread = await message.create_thread(name="in there")
    await thread.send("here we are")
    await seen("here we are", channel=str(thread.id))
    inside = await said("cosy", channel=str(thread.id))
    equal((inside.channel.parent_id, inside.channel.id), (int(general), thread.id))
    born = await heard("thread_create", "thread", guild="Garden", channel="general", name="hers")
    equal((born.name, born.parent.name), ("hers", "general"))


@check("direct messages go both ways")
async def direct():
    message = await said("psst", by=bob, channel=None)
    equal((message.guild, message.channel.type), (None, discord.ChannelType.private))
    await message.channel.send("what?")
    await message.author.send("who?")
    await seen("who?", by=bob, channel=None)


@check("buttons and menus are answered in the message, and in private")
async def buttons():
    message = await bot.get_channel(int(general)).send("Which way?", view=Ways(timeout=None))
    here = {"channel": general, "message": str(message.id)}
    await asyncio.to_thread(people.press, from_=bob, label="Whisper", **here)
    equal((await seen("Nobody else reads this.", by=bob))["ephemeral"], True)
    equal([one for one in people.sees(from_=alice, channel=general) if "Nobody else" in one["text"]], [])
    await asyncio.to_thread(people.choose, from_=bob, value="Down", **here)
    await seen("Bob went Down.")
    await asyncio.to_thread(people.press, from_=alice, label="Left", **here)
    equal((await seen("Alice went left."))["buttons"], [])


@check("a command is answered in private and the answer edited")
async def command():
    await asyncio.to_thread(people.command, from_=alice, channel=general, name="think", options=[["level", "high"]])
    equal((await seen("Thinking high, from now on."))["ephemeral"], True)


@check("a command takes its time, and says more than one thing")
async def deferred():
    await asyncio.to_thread(people.command, from_=alice, channel=general, name="model", options=[["name", "large"]])
    equal((await seen("The model is large."))["ephemeral"], True)
    await seen("And less of it.")
    await asyncio.to_thread(people.command, from_=bob, channel=None, name="model", options=[["name", "small"]])
    await seen("The model is small.", by=bob, channel=None)


@check("values are offered while they are typed")
async def autocomplete():
    choices = await asyncio.to_thread(people.complete, from_=alice, channel=general, name="model", option="name", typed="m")
    equal([choice["value"] for choice in choices], ["small", "medium"])


@check("what is refused arrives as the right exception, and nothing was refused before")
async def refusals():
    violations()
    channel = bot.get_channel(int(general))

    async def raises(kind, code, call):
        try:
            await call
        except kind as problem:
            equal(problem.code, code)
        else:
            raise AssertionError(f"no {kind.__name__}")

    await raises(discord.NotFound, 10008, channel.fetch_message(1))
    await raises(discord.NotFound, 10003, bot.fetch_channel(1))
    theirs = await said("mine")
    await raises(discord.Forbidden, 50005, bot.http.edit_message(channel.id, theirs.id, params=discord.http.MultipartParameters({"content": "x"}, None, None)))
    await raises(discord.HTTPException, 50006, channel.send(""))
    await raises(discord.HTTPException, 50035, channel.send("x" * 2001))
    people.forget()


@check("twelve quick messages arrive in order, with the limit that is told and with one that is not")
async def limits():
    people.limit(call="POST /channels/{}/messages", calls=5, milliseconds=600)
    people.fault(call="POST /channels/{}/messages", retry_after=0.3)
    channel = bot.get_channel(int(general))
    for number in range(12):
        await channel.send(f"number {number}")
    texts = [one["text"] for one in people.sees(from_=alice, channel=general)]
    equal([text for text in texts if text.startswith("number")], [f"number {number}" for number in range(12)])


async def missed(break_off, event="resumed"):
    """Breaks the line, lets Alice speak meanwhile, and gives what was heard of her."""
    seen = []

    async def listen(message):
        seen.append(message.content)

    bot.on_message = listen
    back = asyncio.ensure_future(bot.wait_for(event, timeout=15))
    await asyncio.sleep(0)
    await asyncio.to_thread(people.line, what=break_off)
    for word in ("one", "two", "three"):
        await asyncio.to_thread(people.say, from_=alice, channel=general, text=word)
    await back
    await said("four")
    del bot.on_message
    return seen


@check("a line that is broken, asked to come back, or dead is resumed, and nothing is lost or doubled")
async def resume():
    for fault in ("drop", "reconnect", "invalid_resumable", "zombie"):
        equal((fault, await missed(fault)), (fault, ["one", "two", "three", "four"]))


@check("a session that is gone is begun anew")
async def invalid():
    equal((await missed("invalid", event="ready"))[-1], "four")


@check("each shard is shown its own guilds")
async def shards():
    more = [people.guild(name=f"Plot {number}", members=[alice])["id"] for number in range(3)]
    shown = {}
    for shard in range(2):
        client = discord.Client(intents=intents, shard_id=shard, shard_count=2, guild_ready_timeout=0.2)
        async with client:
            running = asyncio.ensure_future(client.start(TOKEN))
            await client.wait_for("ready", timeout=10)
            shown[shard] = {place.id for place in client.guilds}
        await running
    for known in (guild, *more):
        equal([shard for shard in shown if int(known) in shown[shard]], [(int(known) >> 22) % 2])


@check("nothing was sent that should not have been")
def violations():
    # discord.py names itself without the comma, and on the routes of webhooks not at all; it sends a field of new messages with changes.
    found = [one["what"] for one in people.violations()]
    equal([what for what in found if "User-Agent" not in what and what != "unknown field tts"], [])


CHECKS = [
    login, register, messages, embeds, files, threads, direct, buttons, command, deferred, autocomplete, refusals, limits, resume, invalid, shards,
    violations,
]  # fmt: skip


async def main():
    async with bot:
        running = asyncio.ensure_future(bot.start(TOKEN))
        await bench.run(CHECKS, "discord.py")
    await running


asyncio.run(main())
bench.finish()

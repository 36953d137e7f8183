"""A small aiogram bot, driven through the Telegram fake's control endpoint."""

import asyncio
import sys

import bench
from aiogram import Bot, Dispatcher, F
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import (
    TelegramBadRequest,
    TelegramConflictError,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramServerError,
    TelegramUnauthorizedError,
)
from aiogram.filters import Command
from aiogram.types import (
    BotCommand,
    BotCommandScopeAllGroupChats,
    BufferedInputFile,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaPhoto,
    InputRichBlockParagraph,
    InputRichMessage,
    MessageEntity,
    ReactionTypeEmoji,
    ReplyParameters,
    RichTextBold,
)
from bench import check, equal

URL, TOKEN = sys.argv[1:3]
telegram = bench.Control(URL)
session = AiohttpSession(api=TelegramAPIServer.from_base(URL))
bot = Bot(TOKEN, session=session)
dispatcher = Dispatcher()
alice = telegram.user(name="Alice")["id"]


@dispatcher.message(Command("buttons"))
async def buttons(message):
    row = [InlineKeyboardButton(text="Left", callback_data="l"), InlineKeyboardButton(text="Right", callback_data="r")]
    await message.answer("Which way?", reply_markup=InlineKeyboardMarkup(inline_keyboard=[row]))


@dispatcher.callback_query(F.data)
async def pressed(query):
    await query.message.edit_text(f"You went {query.data}.")
    await query.answer("Noted.")


@dispatcher.message(F.voice)
async def voice(message):
    file = await message.bot.get_file(message.voice.file_id)
    content = await message.bot.download_file(file.file_path)
    await message.answer(f"heard {len(content.read())} bytes")


@dispatcher.message(F.text)
async def echo(message):
    await message.answer(f"echo {message.text}")


@dispatcher.edited_message()
async def edited(message):
    await message.reply(f"now {message.text}")


@check("a bot knows itself and sets its menu")
async def menu():
    me = await bot.get_me()
    equal((me.is_bot, me.username), (True, "pensive_test_bot"))
    commands = [BotCommand(command="think", description="How hard to think")]
    await bot.set_my_commands(commands, scope=BotCommandScopeAllGroupChats())
    kept = await bot.get_my_commands(scope=BotCommandScopeAllGroupChats())
    equal([command.model_dump() for command in kept], [command.model_dump() for command in commands])
    equal(telegram.commands(scope={"type": "all_group_chats"})[0]["command"], "think")


@check("a text is echoed")
async def echoes():
    telegram.say(from_=alice, text="hello 😀")
    await telegram.sent(alice, "echo hello 😀")
    equal(telegram.messages(chat=alice)[-1]["text"], "echo hello 😀")


@check("a button is pressed, the message edited, the press answered")
async def press():
    telegram.say(from_=alice, text="/buttons")
    await telegram.sent(alice, "Which way?")
    pressed = telegram.press(from_=alice, label="Left")
    equal((await telegram.answered(pressed))["text"], "Noted.")
    last = telegram.messages(chat=alice)[-1]
    equal((last["text"], last["buttons"], last["edited"]), ("You went l.", [], True))


@check("an edited message is seen and answered as a reply")
async def edit():
    said = telegram.say(from_=alice, text="typo")
    await telegram.sent(alice, "echo typo")
    telegram.edit(from_=alice, message_id=said["message_id"], text="fixed")
    await telegram.sent(alice, "now fixed")
    equal(telegram.messages(chat=alice)[-1]["reply_to"], said["message_id"])


@check("an answer goes to the topic that the message came from")
async def topic():
    forum = telegram.room(kind="forum", title="Forum", members=[alice])["id"]
    plans = telegram.topic(chat=forum, by=alice, name="Plans")["topic"]
    telegram.say(from_=alice, chat=forum, topic=plans, text="in a topic")
    await telegram.sent(forum, "echo in a topic")
    telegram.say(from_=alice, chat=forum, text="in general")
    await telegram.sent(forum, "echo in general")
    equal([seen["thread"] for seen in telegram.messages(chat=forum) if seen["by_bot"]], [plans, None])


@check("a voice message is fetched")
async def fetch():
    telegram.say(from_=alice, media="voice")
    await telegram.sent(alice, "heard 18 bytes")


@dispatcher.stopped_message_generation()
async def stopped(event):
    await bot.send_message(event.chat.id, f"stopped {event.draft_id}")


@check("drafts are shown, and stopped by the person")
async def drafts():
    await bot.send_message_draft(alice, 5, text="thin", can_stop=True)
    equal(telegram.draft(chat=alice)["text"], "thin")
    thinking = InputRichMessage(markdown="<tg-thinking>hm</tg-thinking>\n\n**so** far")
    await bot.send_rich_message_draft(alice, 6, thinking, can_stop=True)
    draft = telegram.draft(chat=alice)
    equal((draft["id"], draft["text"], draft["thinking"]), (6, "so far", "hm"))
    telegram.stop_draft(from_=alice)
    equal(telegram.draft(chat=alice), None)
    await telegram.sent(alice, "stopped 6")


@check("rich messages come back as the blocks that they are, and are edited")
async def rich():
    markdown = "# Sum\n\n|a|b|\n|-|-:|\n|1|**2**|\n\n1. *one*\n2. [x](https://a.example)\n\n> `said`\n\n```sh\nls\n```\n\n- [x] $x^2$\n\n---"
    sent = await bot.send_rich_message(alice, InputRichMessage(markdown=markdown))
    kinds = [block.type for block in sent.rich_message.blocks]
    equal(kinds, ["heading", "table", "list", "blockquote", "pre", "list", "divider"])
    equal(sent.rich_message.blocks[1].cells[1][1].align, "right")
    blocks = [InputRichBlockParagraph(text=["plain ", RichTextBold(text="bold")])]
    await bot.send_rich_message(alice, InputRichMessage(blocks=blocks))
    equal(telegram.messages(chat=alice)[-1]["text"], "plain bold")
    edit = {"chat_id": alice, "message_id": sent.message_id}
    edited = await bot.edit_message_text(**edit, rich_message=InputRichMessage(html="<p>a &amp; b</p>"))
    equal(edited.rich_message.blocks[0].text, "a & b")
    equal((await bot.edit_message_text("plain", **edit)).text, "plain")


@check("an album is sent and the keyboard of a message changed")
async def album():
    photos = [InputMediaPhoto(media=BufferedInputFile(b"\xff\xd8", filename="a.jpg"), caption=words) for words in ("one", "two")]
    sent = await bot.send_media_group(alice, photos)
    equal([message.caption for message in sent], ["one", "two"])
    equal(len({message.media_group_id for message in sent}), 1)
    keyboard = InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="Stop", callback_data="s")]])
    message = await bot.send_message(alice, "…")
    edited = await bot.edit_message_reply_markup(chat_id=alice, message_id=message.message_id, reply_markup=keyboard)
    equal(edited.reply_markup.model_dump(), keyboard.model_dump())
    voice = await bot.send_voice(alice, BufferedInputFile(b"OggS", filename="a.oga"), caption="heard")
    equal((voice.voice.duration, voice.caption), (1, "heard"))


@check("an older server and a silenced chat look as they should")
async def older():
    telegram.turn_off(methods=["sendRichMessageDraft"])
    try:
        await bot.send_rich_message_draft(alice, 6, InputRichMessage(markdown="a"))
    except TelegramNotFound as error:
        assert "method not found" in str(error), error
    else:
        raise AssertionError("the method was there")
    telegram.turn_off(methods=[])
    telegram.silence(chat=alice, seconds=1)
    try:
        await bot.send_message(alice, "too soon")
    except TelegramRetryAfter as error:
        equal(error.retry_after, 1)
        await asyncio.sleep(error.retry_after)
    await bot.send_message(alice, "in time")


@check("files, entities, drafts, reactions and typing are taken")
async def rest():
    document = BufferedInputFile(b"content", filename="notes.txt")
    sent = await bot.send_document(alice, document, caption="<b>notes</b>", parse_mode="HTML")
    equal((sent.document.file_name, sent.caption_entities[0].type), ("notes.txt", "bold"))
    photo = await bot.send_photo(alice, BufferedInputFile(b"\xff\xd8", filename="a.jpg"))
    equal(len(photo.photo), 1)
    bold = [MessageEntity(type="bold", offset=0, length=2)]
    sent = await bot.send_message(alice, "😀 b", entities=bold, reply_parameters=ReplyParameters(message_id=photo.message_id))
    equal((sent.entities[0].model_dump(), sent.reply_to_message.message_id), (bold[0].model_dump(), photo.message_id))
    await bot.send_message_draft(alice, 5, text="thinking", can_stop=True)
    equal(telegram.draft(chat=alice)["text"], "thinking")
    await bot.set_message_reaction(alice, sent.message_id, [ReactionTypeEmoji(emoji="👍")])
    await bot.send_chat_action(alice, "typing")
    await bot.delete_message(alice, sent.message_id)
    chat, member = await bot.get_chat(alice), await bot.get_chat_member(alice, bot.id)
    equal((chat.first_name, member.user.id), ("Alice", bot.id))


@check("faults arrive as the right exceptions")
async def faults():
    async def raises(kind, text="a", **fault):
        if fault:
            telegram.fault(method="sendMessage", **fault)
        try:
            await bot.send_message(alice, text, parse_mode="MarkdownV2")
        except kind as error:
            return error
        raise AssertionError(f"no {kind.__name__}")

    equal((await raises(TelegramRetryAfter, answer={"retry_after": 7})).retry_after, 7)
    await raises(TelegramServerError, answer={"refuse": {"code": 500, "description": "Internal Server Error"}})
    await raises(TelegramUnauthorizedError, answer={"refuse": {"code": 401, "description": "Unauthorized"}})
    await raises(TelegramNotFound, answer={"refuse": {"code": 404, "description": "Not Found"}})
    await raises(TelegramConflictError, answer="conflict")
    await raises(TelegramNetworkError, answer="reset")
    await raises(TelegramNetworkError, answer="reset", after_commit=True)
    await raises(Exception, answer={"html": 502})
    await raises(Exception, answer="truncated")
    assert "is reserved" in str(await raises(TelegramBadRequest, text="1. x"))
    telegram.block(user=alice)
    await raises(TelegramForbiddenError)
    telegram.unblock(user=alice)


@check("nothing was sent that should not have been, but for the refused markup")
def violations():
    found = [entry["what"] for entry in telegram.violations()]
    equal([what for what in found if "is reserved" not in what], [])


async def main():
    polling = asyncio.create_task(dispatcher.start_polling(bot, handle_signals=False, polling_timeout=2))
    await bench.run([menu, echoes, press, edit, topic, fetch, drafts, rich, album, older, rest, faults, violations], "aiogram")
    await dispatcher.stop_polling()
    await polling


asyncio.run(main())
bench.finish()

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
    MessageEntity,
    ReactionTypeEmoji,
    ReplyParameters,
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
    await bench.run([menu, echoes, press, edit, topic, fetch, rest, faults, violations], "aiogram")
    await dispatcher.stop_polling()
    await polling


asyncio.run(main())
bench.finish()

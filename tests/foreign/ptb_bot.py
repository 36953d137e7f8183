"""A small python-telegram-bot bot, driven through the Telegram fake's control endpoint."""

import asyncio
import sys

import bench
from bench import check, equal
from telegram import Bot, BotCommand, InlineKeyboardButton, InlineKeyboardMarkup, error
from telegram.ext import Application, CallbackQueryHandler, CommandHandler, MessageHandler, filters

URL, TOKEN = sys.argv[1:3]
telegram = bench.Control(URL)
alice = telegram.user(name="Alice")["id"]
app = Application.builder().token(TOKEN).base_url(f"{URL}/bot").base_file_url(f"{URL}/file/bot").build()


async def buttons(update, _):
    row = [InlineKeyboardButton("Left", callback_data="l"), InlineKeyboardButton("Right", callback_data="r")]
    await update.message.reply_text("Which way?", reply_markup=InlineKeyboardMarkup([row]))


async def pressed(update, _):
    await update.callback_query.answer("Noted.")
    await update.callback_query.edit_message_text(f"You went {update.callback_query.data}.")


async def echo(update, _):
    words = "echo" if update.message else "now"
    await update.effective_message.reply_text(f"{words} {update.effective_message.text}")


async def document(update, _):
    file = await update.message.document.get_file()
    await update.message.reply_text(f"got {len(await file.download_as_bytearray())} bytes, {update.message.caption}")


@check("a bot sets its menu")
async def menu():
    await app.bot.set_my_commands([BotCommand("think", "How hard to think")])
    equal((await app.bot.get_my_commands())[0].command, "think")


@check("a text is echoed")
async def echoes():
    telegram.say(from_=alice, text="hello 😀")
    await telegram.sent(alice, "echo hello 😀")


@check("an edited message is seen")
async def edit():
    said = telegram.say(from_=alice, text="typo")
    await telegram.sent(alice, "echo typo")
    telegram.edit(from_=alice, message_id=said["message_id"], text="fixed")
    await telegram.sent(alice, "now fixed")


@check("a button is pressed, the press answered, the message edited")
async def press():
    telegram.say(from_=alice, text="/buttons@pensive_test_bot")
    await telegram.sent(alice, "Which way?")
    pressed = telegram.press(from_=alice, label="Right")
    equal((await telegram.answered(pressed))["text"], "Noted.")
    await telegram.sent(alice, "You went r.", method="editMessageText")
    equal(telegram.messages(chat=alice)[-1]["text"], "You went r.")


@check("an answer goes to the topic that the message came from")
async def topic():
    forum = telegram.room(kind="forum", title="Forum", members=[alice])["id"]
    plans = telegram.topic(chat=forum, by=alice, name="Plans")["topic"]
    telegram.say(from_=alice, chat=forum, topic=plans, text="in a topic")
    await telegram.sent(forum, "echo in a topic")
    equal([seen["thread"] for seen in telegram.messages(chat=forum) if seen["by_bot"]], [plans])


@check("a document comes and goes")
async def documents():
    telegram.say(from_=alice, media="document", text="with a caption")
    await telegram.sent(alice, "got 5 bytes, with a caption")
    sent = await app.bot.send_document(alice, b"content", filename="notes.txt", caption="*notes*", parse_mode="Markdown")
    equal((sent.document.file_name, sent.caption_entities[0].type), ("notes.txt", "bold"))


@check("faults arrive as the right exceptions")
async def faults():
    async def raises(kind, **fault):
        if fault:
            telegram.fault(method="sendMessage", **fault)
        try:
            await app.bot.send_message(alice, "a")
        except kind as problem:
            return problem
        raise AssertionError(f"no {kind.__name__}")

    wait = (await raises(error.RetryAfter, answer={"retry_after": 7}))._retry_after.total_seconds()
    equal(wait, 7.0)
    await raises(error.NetworkError, answer={"refuse": {"code": 500, "description": "Internal Server Error"}})
    await raises(error.NetworkError, answer={"html": 502})
    await raises(error.NetworkError, answer="reset")
    await raises(error.NetworkError, answer="truncated")
    await raises(error.InvalidToken, answer={"refuse": {"code": 401, "description": "Unauthorized"}})
    await raises(error.Conflict, answer="conflict")
    telegram.block(user=alice)
    await raises(error.Forbidden)
    telegram.unblock(user=alice)
    sent = await app.bot.send_message(alice, "same")
    try:
        await sent.edit_text("same")
    except error.BadRequest as problem:
        assert "not modified" in str(problem)
    else:
        raise AssertionError("an edit to the same text went through")


@check("a second poller throws the first one out")
async def conflict():
    seen = asyncio.get_running_loop().create_future()
    await app.updater.stop()
    await app.updater.start_polling(timeout=20, error_callback=lambda problem: seen.done() or seen.set_result(problem))
    # A bot of its own: the application's has one connection for polls.
    async with Bot(TOKEN, base_url=f"{URL}/bot") as second:
        for _ in range(20):
            await second.get_updates(timeout=0)
            if seen.done():
                break
            await asyncio.sleep(0.1)
    assert isinstance(await asyncio.wait_for(seen, 10), error.Conflict)


@check("nothing was sent that should not have been")
def violations():
    equal(telegram.violations(), [])


async def main():
    app.add_handler(CommandHandler("buttons", buttons))
    app.add_handler(CallbackQueryHandler(pressed))
    app.add_handler(MessageHandler(filters.Document.ALL, document))
    app.add_handler(MessageHandler(filters.TEXT, echo))
    async with app:
        await app.start()
        await app.updater.start_polling(timeout=2)
        await bench.run([menu, echoes, edit, press, topic, documents, faults, conflict, violations], "python-telegram-bot")
        await app.updater.stop()
        await app.stop()


asyncio.run(main())
bench.finish()

"""The shortest honest bot of a well-known library: it says back what it hears. The load harness puts it where Pensive
stands and measures it in the same way.

    yardstick_echo.py API_ROOT TOKEN
"""

import sys

from telegram import Update
from telegram.ext import ApplicationBuilder, ContextTypes, MessageHandler, filters


async def echo(update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
    await update.message.reply_text(update.message.text)


def main() -> None:
    root, token = sys.argv[1:]
    bot = ApplicationBuilder().token(token).base_url(f"{root}/bot").build()
    bot.add_handler(MessageHandler(filters.TEXT, echo))
    bot.run_polling(allowed_updates=["message"])


if __name__ == "__main__":
    main()

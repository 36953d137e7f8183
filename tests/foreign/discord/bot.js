// A small discord.js bot on the Discord fake; people are played through its control endpoint.
//
// usage: node bot.js URL TOKEN

import { once } from "node:events";
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  MessageFlags,
  Partials,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
} from "discord.js";
import { control, equal, run, until } from "./bench.js";

const [url, token] = process.argv.slice(2);
const people = control(url);
const rest = { api: `${url}/api` };
const intents = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];
const partials = [Partials.Channel];

const [alice, bob] = ["Alice", "Bob"];
const garden = (await people.guild({ name: "Garden", members: [alice, bob] })).id;
const general = (await people.channel({ guild: "Garden", name: "general" })).id;
await people.beat_every({ milliseconds: 400 });
const client = new Client({ intents, partials, rest });

// What somebody sees of a bot whose text has this in it.
const seen = (text, { by = alice, channel = general } = {}) =>
  until(async () => {
    const messages = await people.sees({ from: by, channel });
    return messages.find((message) => message.by_bot && message.text.includes(text));
  }, `"${text}"`);

// What the bot hears of what somebody does.
async function heard(event, act) {
  const [[first, second]] = await Promise.all([once(client, event, { signal: AbortSignal.timeout(10_000) }), act()]);
  return second === undefined ? first : [first, second];
}

const said = (text, fields = {}) => heard(Events.MessageCreate, () => people.say({ from: alice, channel: general, text, ...fields }));

// One interaction, handled by `handle`.
async function interaction(act, handle) {
  const [one] = await Promise.all([heard(Events.InteractionCreate, act).then(async (one) => [one, await handle(one)])]);
  return one;
}

async function refused(code, call) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof DiscordAPIError)) throw error;
    equal(error.code, code);
    return;
  }
  throw new Error(`nobody refused it with ${code}`);
}

// discord.js opens its sockets without a name, and sends fields of new messages with everything.
const ways = /User-Agent|unknown field (tts|enforce_nonce)/;
const blameless = async () => equal((await people.violations()).filter((one) => !ways.test(one.what)), []);

const channel = () => client.channels.cache.get(general);
const button = (id, label, style) => new ButtonBuilder().setCustomId(id).setLabel(label).setStyle(style);

const think = new SlashCommandBuilder()
  .setName("think")
  .setDescription("How hard to think")
  .addStringOption((option) =>
    option
      .setName("level")
      .setDescription("How hard")
      .addChoices({ name: "Low", value: "low" }, { name: "High", value: "high" }),
  );
const model = new SlashCommandBuilder()
  .setName("model")
  .setDescription("Which model")
  .addStringOption((option) => option.setName("name").setDescription("Which one").setAutocomplete(true).setRequired(true));

// Breaks the line, has Alice speak meanwhile, and tells what was heard of her.
async function missed(act) {
  const words = [];
  const listen = (message) => words.push(message.content);
  client.on(Events.MessageCreate, listen);
  await people.line({ what: act });
  for (const text of ["one", "two", "three"]) await people.say({ from: alice, channel: general, text });
  await until(async () => words.at(-1) === "three", "what was missed");
  await said("four");
  client.off(Events.MessageCreate, listen);
  return words;
}

const checks = {
  "a bot logs in and is shown itself and its guild": async () => {
    const ready = once(client, Events.ClientReady, { signal: AbortSignal.timeout(10_000) });
    await client.login(token);
    await ready;
    equal([client.user.bot, client.application.id], [true, client.user.id]);
    equal(client.guilds.cache.map((guild) => guild.name), ["Garden"]);
    equal(client.guilds.cache.get(garden).channels.cache.map((one) => one.name), ["general"]);
    equal(client.guilds.cache.get(garden).members.me.id, client.user.id);
  },

  "commands are registered, for all and for a guild, and listed": async () => {
    const commands = [think.toJSON(), model.toJSON()];
    const set = await client.application.commands.set(commands);
    equal(set.map((command) => command.name), ["think", "model"]);
    const fetched = await client.application.commands.fetch();
    equal(fetched.find((command) => command.name === "think").options[0].choices.map((choice) => choice.value), ["low", "high"]);
    equal((await client.application.commands.set(commands, garden)).size, 2);
    equal((await client.application.commands.set([], garden)).size, 0);
  },

  "a message comes with its content, is answered, and the answer edited and deleted": async () => {
    const message = await said("hello 😀");
    equal([message.content, message.author.displayName, message.guild.name, message.channel.name], ["hello 😀", "Alice", "Garden", "general"]);
    const answer = await message.reply({ content: "hello yourself", allowedMentions: { repliedUser: false } });
    equal([(await seen("hello yourself")).reply_to, answer.reference.messageId], [message.id, message.id]);
    await answer.edit("good evening");
    equal((await seen("good evening")).edited, true);
    equal((await channel().messages.fetch({ message: answer.id, force: true })).content, "good evening");
    await answer.delete();
    const left = await people.sees({ from: alice, channel: general });
    equal(left.filter((one) => one.by_bot), []);
    const edit = () => people.edit({ from: alice, channel: general, message: message.id, text: "hullo" });
    const [before, after] = await heard(Events.MessageUpdate, edit);
    equal([before.content, after.content], ["hello 😀", "hullo"]);
  },

  "an embed and a row of typing go out, the history comes back": async () => {
    await channel().sendTyping();
    await channel().send({ embeds: [{ title: "News", description: "None.", color: 0x3355aa }] });
    const history = await channel().messages.fetch({ limit: 2, cache: false });
    equal([history.first().embeds[0].title, history.last().content], ["News", "hullo"]);
  },

  "files go both ways": async () => {
    const files = [
      { attachment: Buffer.from("one"), name: "one.txt" },
      { attachment: Buffer.from([0, 255]), name: "two.bin", description: "Two bytes" },
    ];
    const sent = await channel().send({ content: "Notes:", files });
    const read = async (file) => [file.name, file.description, [...new Uint8Array(await (await fetch(file.url)).arrayBuffer())]];
    equal(await Promise.all(sent.attachments.map(read)), [["one.txt", null, [111, 110, 101]], ["two.bin", "Two bytes", [0, 255]]]);
    const message = await said("a photo", { files: [["cat.png", "image/png", "purr"]] });
    const file = message.attachments.first();
    equal([file.name, file.contentType, await (await fetch(file.url)).text()], ["cat.png", "image/png", "purr"]);
  },

  "a thread is opened, spoken in from both sides": async () => {
    const message = await said("let us go in there");
    const thread = await message.startThread({ name: "in there" });
    await thread.send("here we are");
    await seen("here we are", { channel: thread.id });
    const inside = await said("cosy", { channel: thread.id });
    equal([inside.channel.isThread(), inside.channel.parentId, inside.channelId], [true, general, thread.id]);
    const [born] = await heard(Events.ThreadCreate, () => people.thread({ guild: "Garden", channel: "general", name: "hers" }));
    equal([born.name, born.parent.name], ["hers", "general"]);
  },

  "direct messages go both ways": async () => {
    const message = await said("psst", { from: bob, channel: null });
    equal([message.guild, message.channel.isDMBased()], [null, true]);
    await message.channel.send("what?");
    await message.author.send("who?");
    await seen("who?", { by: bob, channel: null });
  },

  "buttons and menus are answered in the message, and in private": async () => {
    const row = new ActionRowBuilder().addComponents(
      button("left", "Left", ButtonStyle.Danger),
      button("whisper", "Whisper", ButtonStyle.Secondary),
    );
    const options = ["up", "down"].map((value) => ({ label: value.toUpperCase(), value }));
    const menu = new StringSelectMenuBuilder().setCustomId("way").setPlaceholder("Which way?").addOptions(options);
    await channel().send({ content: "Which way?", components: [row, new ActionRowBuilder().addComponents(menu)] });
    const { id: message } = await seen("Which way?");
    const press = (from, label) => () => people.press({ from, channel: general, message, label });
    await interaction(press(bob, "Whisper"), (one) => one.reply({ content: "Nobody else reads this.", flags: MessageFlags.Ephemeral }));
    equal((await seen("Nobody else reads this.", { by: bob })).ephemeral, true);
    const others = await people.sees({ from: alice, channel: general });
    equal(others.filter((one) => one.text.includes("Nobody else")), []);
    const choose = () => people.choose({ from: bob, channel: general, message, value: "down" });
    await interaction(choose, async (one) => {
      await one.deferUpdate();
      await one.editReply(`${one.user.displayName} went ${one.values[0]}.`);
    });
    await seen("Bob went down.");
    await interaction(press(alice, "Left"), (one) => one.update({ content: `${one.member.displayName} went left.`, components: [] }));
    equal((await seen("Alice went left.")).buttons, []);
  },

  "a command is answered in private and the answer edited": async () => {
    const call = () => people.command({ from: alice, channel: general, name: "think", options: [["level", "high"]] });
    await interaction(call, async (one) => {
      const level = one.options.getString("level");
      const { resource } = await one.reply({ content: `Thinking ${level}.`, flags: MessageFlags.Ephemeral, withResponse: true });
      equal([resource.message.content, resource.message.flags.has(MessageFlags.Ephemeral)], ["Thinking high.", true]);
      await one.editReply(`Thinking ${level}, from now on.`);
      equal((await one.fetchReply()).content, "Thinking high, from now on.");
      await refused(40060, client.rest.post(`/interactions/${one.id}/${one.token}/callback`, { auth: false, body: { type: 5 } }));
    });
    equal((await seen("Thinking high, from now on.")).ephemeral, true);
  },

  "a command takes its time, and says more than one thing": async () => {
    const call = (from, channel, name) => () => people.command({ from, channel, name: "model", options: [["name", name]] });
    await interaction(call(alice, general, "large"), async (one) => {
      await one.deferReply({ flags: MessageFlags.Ephemeral });
      equal((await people.sees({ from: alice, channel: general })).at(-1).loading, true);
      await one.editReply(`The model is ${one.options.getString("name")}.`);
      const further = await one.followUp({ content: "And more of it.", flags: MessageFlags.Ephemeral });
      await one.editReply({ message: further, content: "And less of it." });
    });
    equal([(await seen("The model is large.")).ephemeral, (await seen("And less of it.")).ephemeral], [true, true]);
    await interaction(call(bob, null, "small"), async (one) => {
      await one.deferReply();
      await one.editReply("The model is small.");
      await one.deleteReply();
    });
    const left = await people.sees({ from: bob });
    equal(left.filter((one) => one.text.includes("small")), []);
  },

  "values are offered while they are typed": async () => {
    const offered = heard(Events.InteractionCreate, async () => {}).then((one) => {
      const typed = one.options.getFocused();
      return one.respond(["small", "medium", "large"].filter((word) => word.includes(typed)).map((word) => ({ name: word.toUpperCase(), value: word })));
    });
    const choices = await people.complete({ from: alice, channel: general, name: "model", option: "name", typed: "m" });
    await offered;
    equal(choices, [{ label: "SMALL", value: "small" }, { label: "MEDIUM", value: "medium" }]);
  },

  "what is refused arrives with Discord's codes, and nothing was refused before": async () => {
    await blameless();
    await refused(10008, channel().messages.fetch("1"));
    await refused(10003, client.channels.fetch("1"));
    const theirs = await said("mine");
    await refused(50005, client.rest.patch(`/channels/${general}/messages/${theirs.id}`, { body: { content: "x" } }));
    await refused(50006, channel().send(""));
    await refused(50035, channel().send("x".repeat(2001)));
    await people.forget({});
  },

  "twelve quick messages arrive in order, with the limit that is told and with one that is not": async () => {
    await people.limit({ call: "POST /channels/{}/messages", calls: 5, milliseconds: 600 });
    await people.fault({ call: "POST /channels/{}/messages", retry_after: 0.3 });
    const texts = Array.from({ length: 12 }, (_, number) => `number ${number}`);
    await Promise.all(texts.map((text) => channel().send(text)));
    const left = await people.sees({ from: alice, channel: general });
    equal(left.map((one) => one.text).filter((text) => text.startsWith("number")), texts);
  },
};

for (const fault of ["drop", "reconnect", "invalid_resumable", "zombie"]) {
  checks[`a line with "${fault}" is resumed, and nothing is lost or doubled`] = async () => {
    equal(await missed(fault), ["one", "two", "three", "four"]);
  };
}

Object.assign(checks, {
  "a session that is gone is begun anew": async () => {
    await Promise.all([once(client, Events.ShardReady), people.line({ what: "invalid" })]);
    equal((await said("again")).content, "again");
  },

  "each shard is shown its own guilds": async () => {
    const guilds = [garden];
    for (const number of [1, 2, 3]) guilds.push((await people.guild({ name: `Plot ${number}`, members: [alice] })).id);
    const sharded = new Client({ intents, partials, rest, shards: [0, 1], shardCount: 2 });
    const ready = once(sharded, Events.ClientReady);
    await sharded.login(token);
    await ready;
    const shard = (id) => sharded.guilds.cache.get(id).shardId;
    equal(guilds.map(shard), guilds.map((id) => Number((BigInt(id) >> 22n) % 2n)));
    await sharded.destroy();
  },

  "nothing was sent that should not have been": blameless,
});

const failures = await run(checks, "discord.js");
await client.destroy();
process.exit(failures ? 1 : 0);

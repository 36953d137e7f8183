//! Guilds and their channels as a test holds them.

use serde_json::json;

use super::{
    DiscordFake, Person,
    channel::{ChannelKind, ChannelState},
    guild::{GuildState, Membership, Role},
    seen::{Film, Seen},
    world::{World, intent},
};

/// A guild.
#[derive(Clone, Debug)]
pub struct Guild {
    fake: DiscordFake,
    id: u64,
}

impl Guild {
    pub(crate) fn found(fake: &DiscordFake, name: &str, people: &[&Person]) -> Self {
        let mut world = fake.world();
        let id = world.take_id();
        world.guilds.insert(id, GuildState::new(id, name));
        drop(world);
        let guild = Self { fake: fake.clone(), id };
        for person in people {
            guild.join(person.id());
        }
        guild.join(fake.bot().id());
        guild
    }

    pub(crate) fn known(fake: &DiscordFake, id: u64) -> Self {
        Self { fake: fake.clone(), id }
    }

    /// Its id.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// A person or bot comes in; a bot is shown the guild.
    pub fn join(&self, user: u64) {
        let mut world = self.fake.world();
        let joined = world.now();
        let is_bot = world.bots.contains_key(&user);
        let inside = world.guilds.get(&self.id).is_some_and(|guild| guild.members.contains_key(&user));
        if inside {
            return;
        }
        let mut roles = Vec::new();
        if is_bot {
            let name = world.users.get(&user).map(|user| user.name.clone()).unwrap_or_default();
            let role = world.take_id();
            self.add_role(&mut world, Role { id: role, name, bot: Some(user) });
            roles.push(role);
        }
        if let Some(guild) = world.guilds.get_mut(&self.id) {
            guild.members.insert(user, Membership { roles, nick: None, joined });
        }
        if is_bot {
            world.greet(user, self.id);
        }
        drop(world);
        self.fake.tick();
    }

    /// A bot is taken out.
    pub fn part(&self, user: u64) {
        let mut world = self.fake.world();
        let data = json!({"id": self.id.to_string()});
        world.tell(user, Some(self.id), intent::GUILDS, "GUILD_DELETE", |_, _| data.clone());
        if let Some(guild) = world.guilds.get_mut(&self.id) {
            guild.members.remove(&user);
            guild.roles.retain(|role| role.bot != Some(user));
        }
        drop(world);
        self.fake.tick();
    }

    /// A text channel, new or known.
    pub fn channel(&self, name: &str) -> Room {
        self.add(ChannelKind::Text, name, None)
    }

    /// A channel of threads alone.
    pub fn forum(&self, name: &str) -> Room {
        self.add(ChannelKind::Forum, name, None)
    }

    /// A channel of any kind.
    pub fn channel_of(&self, kind: ChannelKind, name: &str) -> Room {
        self.add(kind, name, None)
    }

    fn add(&self, kind: ChannelKind, name: &str, parent: Option<u64>) -> Room {
        let mut world = self.fake.world();
        let known = world.channels.values().find(|channel| {
            channel.guild == Some(self.id) && channel.name == name && channel.parent == parent
        });
        if let Some(known) = known {
            return Room { fake: self.fake.clone(), guild: self.id, id: known.id };
        }
        let id = world.take_id();
        let mut channel = ChannelState::new(id, kind, name);
        channel.guild = Some(self.id);
        channel.parent = parent;
        if kind.is_thread() {
            let now = world.now();
            channel = channel.threaded(super::people::OWNER, now);
        }
        world.channels.insert(id, channel);
        let mut object = world.channel_object(id);
        let event = if kind.is_thread() { "THREAD_CREATE" } else { "CHANNEL_CREATE" };
        if let (true, Some(fields)) = (kind.is_thread(), object.as_object_mut()) {
            fields.insert("newly_created".into(), true.into());
        }
        world.tell_of_channel(id, event, &object);
        drop(world);
        self.fake.tick();
        Room { fake: self.fake.clone(), guild: self.id, id }
    }

    /// A role, new or known.
    pub fn role(&self, name: &str) -> u64 {
        let mut world = self.fake.world();
        let id = world.take_id();
        let known = world.guilds.get(&self.id).and_then(|guild| guild.role_named(name));
        if let Some(known) = known {
            return known;
        }
        self.add_role(&mut world, Role { id, name: name.to_owned(), bot: None });
        drop(world);
        self.fake.tick();
        id
    }

    /// The role that Discord made for a bot in here.
    pub fn role_of(&self, bot: u64) -> Option<u64> {
        let world = self.fake.world();
        let roles = &world.guilds.get(&self.id)?.roles;
        roles.iter().find(|role| role.bot == Some(bot)).map(|role| role.id)
    }

    /// A role, told to the bots that are in here.
    fn add_role(&self, world: &mut World, role: Role) {
        let Some(guild) = world.guilds.get_mut(&self.id) else { return };
        let data = json!({"guild_id": self.id.to_string(), "role": role.object(guild.roles.len())});
        guild.roles.push(role);
        let members: Vec<u64> = guild.members.keys().copied().collect();
        for member in members {
            world.tell(member, Some(self.id), intent::GUILDS, "GUILD_ROLE_CREATE", |_, _| data.clone());
        }
    }

    /// Somebody has the role from now on.
    pub fn give_role(&self, user: u64, role: u64) {
        self.member(user, |member| member.roles.push(role));
    }

    /// Somebody has it no more.
    pub fn take_role(&self, user: u64, role: u64) {
        self.member(user, |member| member.roles.retain(|known| *known != role));
    }

    /// What somebody is called here.
    pub fn nickname(&self, user: u64, nick: &str) {
        self.member(user, |member| member.nick = Some(nick.to_owned()));
    }

    fn member(&self, user: u64, change: impl FnOnce(&mut Membership)) {
        let mut world = self.fake.world();
        if let Some(member) = world.guilds.get_mut(&self.id).and_then(|guild| guild.members.get_mut(&user)) {
            change(member);
        }
    }
}

/// A channel or thread of a guild.
#[derive(Clone, Debug)]
pub struct Room {
    fake: DiscordFake,
    guild: u64,
    id: u64,
}

impl Room {
    /// Its id.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// A thread below it, new or known.
    pub fn thread(&self, name: &str) -> Self {
        self.guild().add(ChannelKind::Thread, name, Some(self.id))
    }

    /// The same for those who are asked in; the first bot is.
    pub fn private_thread(&self, name: &str) -> Self {
        let room = self.guild().add(ChannelKind::PrivateThread, name, Some(self.id));
        let bot = self.fake.bot().id();
        room.change(|channel| {
            if let Some(thread) = &mut channel.thread {
                thread.members.insert(bot);
            }
        });
        room
    }

    fn guild(&self) -> Guild {
        Guild { fake: self.fake.clone(), id: self.guild }
    }

    /// What stands here for everybody.
    pub fn messages(&self) -> Vec<Seen> {
        self.fake.messages(self.id)
    }

    /// What bots have said here, oldest first.
    pub fn said(&self) -> Vec<String> {
        self.messages().into_iter().filter(|seen| seen.by_bot).map(|seen| seen.text).collect()
    }

    /// Pictures of it from now on.
    pub fn film(&self) -> Film {
        self.fake.film(self.id)
    }

    /// Seconds between two messages of one author.
    pub fn slow_down(&self, seconds: u64) {
        self.change(|channel| channel.slowmode = seconds);
    }

    /// This user may not write here.
    pub fn silence(&self, user: u64) {
        self.change(|channel| {
            channel.silent.insert(user);
        });
    }

    /// This user is not shown it.
    pub fn hide_from(&self, user: u64) {
        self.change(|channel| {
            channel.hidden_from.insert(user);
        });
    }

    /// The thread is put away; who writes takes it out again.
    pub fn archive(&self) {
        self.change(|channel| {
            if let Some(thread) = &mut channel.thread {
                thread.archived = true;
            }
        });
        self.tell("THREAD_UPDATE");
    }

    /// The thread is closed for all but moderators.
    pub fn lock(&self) {
        self.change(|channel| {
            if let Some(thread) = &mut channel.thread {
                (thread.archived, thread.locked) = (true, true);
            }
        });
        self.tell("THREAD_UPDATE");
    }

    /// It is deleted.
    pub fn delete(&self) {
        self.fake.world().delete_channel(self.id);
        self.fake.tick();
    }

    fn tell(&self, kind: &str) {
        let mut world = self.fake.world();
        let object = world.channel_object(self.id);
        world.tell_of_channel(self.id, kind, &object);
        drop(world);
        self.fake.tick();
    }

    fn change(&self, change: impl FnOnce(&mut ChannelState)) {
        if let Some(channel) = self.fake.world().channels.get_mut(&self.id) {
            change(channel);
        }
        self.fake.tick();
    }
}

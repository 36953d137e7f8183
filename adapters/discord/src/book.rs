//! What is known of the channels of our guilds: which thread belongs to which channel, and which channel to which guild.

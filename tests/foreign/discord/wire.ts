// What may go over Discord's wire: bodies and answers by route, and the frames of the gateway, in the words of discord-api-types made fit
// for values that were read from JSON.

import type {
  APIInteractionResponse,
  APIThreadChannel,
  GatewayDispatchPayload,
  GatewayHeartbeatAck,
  GatewayHeartbeatRequest,
  GatewayHello,
  GatewayInvalidSession,
  GatewayReconnect,
  GatewaySendPayload,
  RESTError,
  RESTGetAPIApplicationCommandsResult,
  RESTGetAPIChannelMessageResult,
  RESTGetAPIChannelMessagesResult,
  RESTGetAPIChannelResult,
  RESTGetAPICurrentUserGuildsResult,
  RESTGetAPICurrentUserResult,
  RESTGetAPIGatewayBotResult,
  RESTGetAPIGatewayResult,
  RESTGetAPIGuildChannelsResult,
  RESTGetAPIGuildMemberResult,
  RESTGetAPIGuildResult,
  RESTGetAPIGuildRolesResult,
  RESTGetCurrentApplicationResult,
  RESTPatchAPIApplicationCommandJSONBody,
  RESTPatchAPIApplicationCommandResult,
  RESTPatchAPIChannelJSONBody,
  RESTPatchAPIChannelMessageJSONBody,
  RESTPatchAPIInteractionFollowupJSONBody,
  RESTPostAPIApplicationCommandsJSONBody,
  RESTPostAPIApplicationCommandsResult,
  RESTPostAPIChannelMessageJSONBody,
  RESTPostAPIChannelMessagesThreadsJSONBody,
  RESTPostAPIChannelThreadsJSONBody,
  RESTPostAPICurrentUserCreateDMChannelJSONBody,
  RESTPostAPICurrentUserCreateDMChannelResult,
  RESTPostAPIGuildForumThreadsJSONBody,
  RESTPostAPIInteractionCallbackWithResponseResult,
  RESTPostAPIInteractionFollowupJSONBody,
  RESTPutAPIApplicationCommandsJSONBody,
  RESTRateLimit,
} from "discord-api-types/v10";

// Sums of bits, which the library types as the enum of the single bits.
type Bits = "flags" | "public_flags" | "system_channel_flags";

// A type without enums, whose members only the enums' own names are assignable to: their values stand in their place, at any depth.
export type Plain<T> =
  T extends string ? `${T}`
  : T extends number ? (`${T}` extends `${infer N extends number}` ? N : never)
  : T extends readonly unknown[] ? { [K in keyof T]: Plain<T[K]> }
  : T extends object ? { [K in keyof T]: K extends Bits ? number | Extract<T[K], null> : Plain<T[K]> }
  : T;

interface Bodies {
  "POST /users/@me/channels": RESTPostAPICurrentUserCreateDMChannelJSONBody;
  "PATCH /channels/{}": RESTPatchAPIChannelJSONBody;
  "POST /channels/{}/messages": RESTPostAPIChannelMessageJSONBody;
  "PATCH /channels/{}/messages/{}": RESTPatchAPIChannelMessageJSONBody;
  "POST /channels/{}/threads": RESTPostAPIChannelThreadsJSONBody | RESTPostAPIGuildForumThreadsJSONBody;
  "POST /channels/{}/messages/{}/threads": RESTPostAPIChannelMessagesThreadsJSONBody;
  "PUT /applications/{}/commands": RESTPutAPIApplicationCommandsJSONBody;
  "POST /applications/{}/commands": RESTPostAPIApplicationCommandsJSONBody;
  "PATCH /applications/{}/commands/{}": RESTPatchAPIApplicationCommandJSONBody;
  "PUT /applications/{}/guilds/{}/commands": RESTPutAPIApplicationCommandsJSONBody;
  "POST /applications/{}/guilds/{}/commands": RESTPostAPIApplicationCommandsJSONBody;
  "PATCH /applications/{}/guilds/{}/commands/{}": RESTPatchAPIApplicationCommandJSONBody;
  "POST /interactions/{}/{}/callback": APIInteractionResponse;
  "POST /webhooks/{}/{}": RESTPostAPIInteractionFollowupJSONBody;
  "PATCH /webhooks/{}/{}/messages/{}": RESTPatchAPIInteractionFollowupJSONBody;
  // Not in the library; as documented with "Refresh Attachment URLs" by Discord's own server.
  "POST /attachments/refresh-urls": { attachment_urls: string[] };
}

type Message = RESTGetAPIChannelMessageResult;

interface Answers {
  "GET /gateway": RESTGetAPIGatewayResult;
  "GET /gateway/bot": RESTGetAPIGatewayBotResult;
  "GET /users/@me": RESTGetAPICurrentUserResult;
  "GET /users/@me/guilds": RESTGetAPICurrentUserGuildsResult;
  "POST /users/@me/channels": RESTPostAPICurrentUserCreateDMChannelResult;
  "GET /applications/@me": RESTGetCurrentApplicationResult;
  "GET /oauth2/applications/@me": RESTGetCurrentApplicationResult;
  "GET /channels/{}": RESTGetAPIChannelResult;
  "PATCH /channels/{}": RESTGetAPIChannelResult;
  "DELETE /channels/{}": RESTGetAPIChannelResult;
  "GET /channels/{}/messages": RESTGetAPIChannelMessagesResult;
  "POST /channels/{}/messages": Message;
  "GET /channels/{}/messages/{}": Message;
  "PATCH /channels/{}/messages/{}": Message;
  // A new post comes with its first message.
  "POST /channels/{}/threads": APIThreadChannel & { message?: Message };
  "POST /channels/{}/messages/{}/threads": APIThreadChannel;
  "GET /guilds/{}": RESTGetAPIGuildResult;
  "GET /guilds/{}/channels": RESTGetAPIGuildChannelsResult;
  "GET /guilds/{}/roles": RESTGetAPIGuildRolesResult;
  "GET /guilds/{}/members/{}": RESTGetAPIGuildMemberResult;
  "GET /guilds/{}/members/@me": RESTGetAPIGuildMemberResult;
  "GET /applications/{}/commands": RESTGetAPIApplicationCommandsResult;
  "PUT /applications/{}/commands": RESTGetAPIApplicationCommandsResult;
  "POST /applications/{}/commands": RESTPostAPIApplicationCommandsResult;
  "PATCH /applications/{}/commands/{}": RESTPatchAPIApplicationCommandResult;
  "GET /applications/{}/guilds/{}/commands": RESTGetAPIApplicationCommandsResult;
  "PUT /applications/{}/guilds/{}/commands": RESTGetAPIApplicationCommandsResult;
  "POST /applications/{}/guilds/{}/commands": RESTPostAPIApplicationCommandsResult;
  "PATCH /applications/{}/guilds/{}/commands/{}": RESTPatchAPIApplicationCommandResult;
  // With `with_response=true`; without it the answer is empty.
  "POST /interactions/{}/{}/callback": RESTPostAPIInteractionCallbackWithResponseResult;
  "POST /webhooks/{}/{}": Message;
  "GET /webhooks/{}/{}/messages/{}": Message;
  "PATCH /webhooks/{}/{}/messages/{}": Message;
  "POST /attachments/refresh-urls": { refreshed_urls: { original: string; refreshed: string }[] };
}

// What Discord sends and the library does not list.
interface Unlisted {
  READY: {
    user_settings?: object;
    session_type?: string;
    relationships?: [];
    private_channels?: [];
    presences?: [];
    guild_join_requests?: [];
    geo_ordered_rtc_regions?: string[];
    application: { flags_new?: string };
  };
  GUILD_CREATE: { home_header?: null; latest_onboarding_question_id?: null };
  INTERACTION_CREATE: { channel?: { permissions?: string } };
}

type Dispatched = Plain<GatewayDispatchPayload>;

export type Body<Route extends keyof Bodies> = Plain<Bodies[Route]>;
export type Answer<Route extends keyof Answers> = Plain<Answers[Route]>;
// What a refused call is answered with; 429 has another shape when a limit was met.
export type Refusal = Plain<RESTError | RESTRateLimit>;
// What a client is told, by the event's name.
export type Event<Name extends Dispatched["t"]> =
  // The library says that no data comes with it; traces do.
  Name extends "RESUMED" ? { op: 0; t: "RESUMED"; s: number; d: { _trace?: string[] } }
  : Extract<Dispatched, { t: Name }> & (Name extends keyof Unlisted ? { d: Unlisted[Name] } : unknown);
// What a client is told that is no event. Without data, JSON has null where the library leaves it undefined.
type Bare<T> = Omit<T, "d"> & { d: null };
export type Signal = Plain<
  (GatewayHello & { d: { _trace?: string[] } }) | GatewayInvalidSession | Bare<GatewayHeartbeatAck> | Bare<GatewayHeartbeatRequest> | Bare<GatewayReconnect>
>;
// What a client says.
export type Command = Plain<GatewaySendPayload>;

import { eventSchemas } from "@muster/wire/events";
import { flag, integer, list, nullable, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import { cursorPattern, numberPatterns } from "../edge/errors/patterns.ts";
import { body, idOf, openObjectOf, segmentOf, subjectOf, timeOf } from "./common.ts";
import {
  createSessionExample,
  restoreExample,
  startSessionExample,
  triggerExample,
  updateSessionExample,
} from "./examples.ts";
import { maxUsd } from "./monthly-limits.ts";
import { dynamicToolSchemas, toolResults } from "./tools.ts";
import { storedUiMessage, uiMessage } from "./ui-message.ts";

export const sessionParams = Type.Object({
  sessionId: segmentOf("The id of the session."),
});

export const executionParams = Type.Object({
  sessionId: segmentOf("The id of the session."),
  executionId: segmentOf("The id of the execution, from the `start` event."),
});

const cursor = Type.String({ pattern: cursorPattern });

export const cursorQuery = Type.Object({
  after: optional({
    ...cursor,
    description: "The number of the last event that you have. Default: 0, which replays everything.",
  }),
});

export const cursorHeaders = Type.Object({
  "last-event-id": optional({
    ...cursor,
    description: "As `after`, which it overrides: browsers send it when they reconnect.",
  }),
});

export const sessionQuery = Type.Object({
  format: optional(oneOf("`ui`: only the messages and parts that users may see.", ["ui"])),
  limit: optional(
    text("How many messages to return, from 1 to 1000: the newest. Default: all.", {
      pattern: numberPatterns[1_000],
    }),
  ),
  before: optional(text("Only messages before the one with this id.", { minLength: 1, maxLength: 200 })),
});

const sessionInput = openObjectOf("The input variables that the definition declares.");

const metadataLimits = "Up to 16 keys of 64 characters, with strings of up to 512.";

export const storedMetadata = {
  ...Type.Unsafe<Record<string, string>>(
    Type.Object({}, { additionalProperties: Type.String({ maxLength: 512 }), maxProperties: 16 }),
  ),
  description: `Your own data about the session, such as the id of its user. ${metadataLimits}`,
};

const metadataChanges = {
  ...Type.Unsafe<Record<string, string | null>>(
    Type.Object(
      {},
      {
        // Not a union: its failure would be reported once for each alternative.
        additionalProperties: Type.Unsafe<string | null>({ type: ["string", "null"], maxLength: 512 }),
        maxProperties: 1_000,
      },
    ),
  ),
  description: `The keys to change: null or an empty string removes a key, and other keys stay as they are. ${metadataLimits}`,
};

export const createSessionBody = body(
  "CreateSessionRequest",
  "The agent and its input.",
  createSessionExample,
  {
    agentId: optional(idOf("The agent. Send either this or agentSlug.")),
    agentSlug: optional(idOf("The slug of an active agent. Send either this or agentId.")),
    input: optional(sessionInput),
    metadata: optional(storedMetadata),
    subject: subjectOf(
      "The subject of the session, such as the id of a user: limits, usage and HTTP tools refer to it. It never changes. A token for a subject sets it; no token can choose another. Default: none.",
    ),
  },
);

export const updateSessionBody = body(
  "UpdateSessionRequest",
  "The changes to the session.",
  updateSessionExample,
  { metadata: metadataChanges },
);

export const restoreSessionBody = body("RestoreSessionRequest", "The stored conversation.", restoreExample, {
  messages: list("The whole conversation, oldest first.", storedUiMessage, { maxItems: 10_000 }),
  input: optional(sessionInput),
});

export const sender = object("Sender", "The author of the user message. It is stored with the message.", {
  id: optional(text("Your id of the author.", { maxLength: 200 })),
  name: optional(text("The author's name.", { maxLength: 200 })),
  image: optional(text("The address of the author's picture.", { maxLength: 2_000 })),
});

const triggerName = text("The trigger of the definition.", { minLength: 1, maxLength: 200 });

const triggerInput = optional(openObjectOf("The input that the trigger declares."));

const stream = optional(
  flag(
    "False: the response is one JSON document when the turn has ended or paused. Default: true, a stream of events.",
  ),
);

/** The fields of every new turn that do not depend on an earlier one. */
const turnFields = {
  sender: optional(sender),
  dynamicToolSchemas: optional(dynamicToolSchemas),
  onDisconnect: optional(
    oneOf("What happens to the turn if the reader leaves. Default: `cancel`.", ["cancel", "continue"]),
  ),
  usage: optional(flag("Whether a `usage` event follows `finish`. Default: false.")),
  maxUsd,
};

export const startSessionBody = body(
  "StartSessionRequest",
  "The agent, its input, and the first turn.",
  startSessionExample,
  {
    ...createSessionBody.properties,
    idempotencyKey: optional(
      text(
        "1 to 255 printable ASCII characters without spaces, such as a UUID. A repeat of the request with the same key replays the first turn and never runs it again.",
      ),
    ),
    trigger: object("FirstTrigger", "The first turn of the session.", {
      triggerName,
      input: triggerInput,
      ...turnFields,
    }),
    stream,
  },
);

export const triggerBody = body("TriggerRequest", "A new turn, or the continuation of one.", triggerExample, {
  triggerName: optional({
    ...triggerName,
    description: "The trigger of the definition. Required unless executionId is given.",
  }),
  input: triggerInput,
  toolResults: optional(toolResults),
  executionId: optional(idOf("To continue a paused turn: its id from the `start` event.")),
  rollbackAfterMessageId: optional(
    nullable(
      "The last message to keep; null removes all messages.",
      Type.String({ minLength: 1, maxLength: 200 }),
    ),
  ),
  ...turnFields,
  stream,
});

export const sessionId = text("The id of the session.");
export const agentId = text("The id of the agent.");

export const sessionIdReply = object("CreatedSession", "The new session.", { sessionId });

export const updatedReply = object("UpdatedSession", "The session's whole metadata.", {
  sessionId,
  metadata: storedMetadata,
});

export const restoredReply = object("RestoredSession", "The session is active.", {
  sessionId,
  restored: flag("False if the session was already active."),
});

export const clearedReply = object("ClearedSession", "The session is expired.", {
  sessionId,
  cleared: flag("True."),
});

export const cancelledReply = object("CancelledExecution", "No turn is running.", {
  sessionId,
  cancelled: flag("False if no turn was running."),
});

const messages = list("The conversation, oldest first.", uiMessage);
const createdAt = timeOf("When the session was created.");
const isActive = Type.Literal("active", { description: "The session is active." });

const { cost, tokens } = eventSchemas.usage.properties;

const sessionUsage = object("SessionUsage", "The usage of all turns of the session so far.", {
  cost,
  tokens,
  models: Type.Object({}, { additionalProperties: tokens, description: "Tokens by model id." }),
});

const turn = optional(
  object("CurrentTurn", "The turn that has not ended: it is running, or waits. Absent: there is none.", {
    executionId: text("The execution, whose events continue the messages."),
    after: integer("The messages show the events of its latest response up to this number. 0: none of them."),
  }),
);

const activeSession = object("ActiveSession", "An active session in the full format.", {
  id: sessionId,
  agentId,
  status: isActive,
  turn,
  input: sessionInput,
  variables: openObjectOf("The session variables by name."),
  resources: openObjectOf("The resource values by name."),
  subject: optional(text("The subject of the session. Absent: none.")),
  metadata: storedMetadata,
  messages,
  usage: sessionUsage,
  createdAt,
  updatedAt: timeOf("When the session last changed."),
});

const uiSession = object("UiSession", "An active session with `format=ui`.", {
  sessionId,
  agentId,
  status: isActive,
  turn,
  messages,
});

export const expiredSession = object(
  "ExpiredSession",
  "An expired session. Its messages are no longer kept.",
  {
    sessionId,
    agentId,
    status: Type.Literal("expired", { description: "The session has expired." }),
    createdAt,
  },
);

export const sessionReply = Type.Union([activeSession, uiSession, expiredSession], {
  title: "Session",
  description: "The session.",
});

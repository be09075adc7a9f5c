import { Type } from "@muster/wire/schema";
import { cursorPattern, numberPatterns } from "../edge/errors/patterns.ts";
import { idField, idSegment, openObjectOf, text, timeOf } from "./common.ts";
import {
  createSessionExample,
  restoreExample,
  startSessionExample,
  triggerExample,
  updateSessionExample,
} from "./examples.ts";
import { dynamicToolSchemas, toolResults } from "./tools.ts";
import { storedUiMessage, uiMessage } from "./ui-message.ts";

export const sessionParams = Type.Object({
  sessionId: { ...idSegment, description: "The id of the session." },
});

export const executionParams = Type.Object({
  sessionId: { ...idSegment, description: "The id of the session." },
  executionId: { ...idSegment, description: "The id of the execution, from the `start` event." },
});

const cursor = Type.String({ pattern: cursorPattern });

export const cursorQuery = Type.Object({
  after: Type.Optional({
    ...cursor,
    description: "The number of the last event that you have. Default: 0, which replays everything.",
  }),
});

export const cursorHeaders = Type.Object({
  "last-event-id": Type.Optional({
    ...cursor,
    description: "As `after`, which it overrides: browsers send it when they reconnect.",
  }),
});

export const sessionQuery = Type.Object({
  format: Type.Optional(
    Type.Enum(["ui"], { description: "`ui`: only the messages and parts that users may see." }),
  ),
  limit: Type.Optional(
    Type.String({
      pattern: numberPatterns[1_000],
      description: "How many messages to return, from 1 to 1000: the newest. Default: all.",
    }),
  ),
  before: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Only messages before the one with this id.",
    }),
  ),
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

export const createSessionBody = Type.Object(
  {
    agentId: Type.Optional({ ...idField, description: "The agent. Send either this or agentSlug." }),
    agentSlug: Type.Optional({
      ...idField,
      description: "The slug of an active agent. Send either this or agentId.",
    }),
    input: Type.Optional(sessionInput),
    metadata: Type.Optional(storedMetadata),
  },
  {
    title: "CreateSessionRequest",
    description: "The agent and its input.",
    examples: [createSessionExample],
  },
);

export const updateSessionBody = Type.Object(
  { metadata: metadataChanges },
  {
    title: "UpdateSessionRequest",
    description: "The changes to the session.",
    examples: [updateSessionExample],
  },
);

export const restoreSessionBody = Type.Object(
  {
    messages: Type.Array(storedUiMessage, {
      maxItems: 10_000,
      description: "The whole conversation, oldest first.",
    }),
    input: Type.Optional(sessionInput),
  },
  { title: "RestoreSessionRequest", description: "The stored conversation.", examples: [restoreExample] },
);

const sender = Type.Object(
  {
    id: Type.Optional(Type.String({ maxLength: 200, description: "Your id of the author." })),
    name: Type.Optional(Type.String({ maxLength: 200, description: "The author's name." })),
    image: Type.Optional(
      Type.String({ maxLength: 2_000, description: "The address of the author's picture." }),
    ),
  },
  { title: "Sender", description: "The author of the user message. It is stored with the message." },
);

const triggerName = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "The trigger of the definition.",
});

const triggerInput = Type.Optional(openObjectOf("The input that the trigger declares."));

const stream = Type.Optional(
  Type.Boolean({
    description:
      "False: the response is one JSON document when the turn has ended or paused. Default: true, a stream of events.",
  }),
);

/** The fields of every new turn that do not depend on an earlier one. */
const turnFields = {
  sender: Type.Optional(sender),
  dynamicToolSchemas: Type.Optional(dynamicToolSchemas),
  onDisconnect: Type.Optional(
    Type.Enum(["cancel", "continue"], {
      description: "What happens to the turn if the reader leaves. Default: `cancel`.",
    }),
  ),
  usage: Type.Optional(
    Type.Boolean({ description: "Whether a `usage` event follows `finish`. Default: false." }),
  ),
};

export const startSessionBody = Type.Object(
  {
    ...createSessionBody.properties,
    idempotencyKey: Type.Optional(
      Type.String({
        description:
          "1 to 255 printable ASCII characters without spaces, such as a UUID. A repeat of the request with the same key replays the first turn and never runs it again.",
      }),
    ),
    trigger: Type.Object(
      { triggerName, input: triggerInput, ...turnFields },
      { title: "FirstTrigger", description: "The first turn of the session." },
    ),
    stream,
  },
  {
    title: "StartSessionRequest",
    description: "The agent, its input, and the first turn.",
    examples: [startSessionExample],
  },
);

export const triggerBody = Type.Object(
  {
    triggerName: Type.Optional({
      ...triggerName,
      description: "The trigger of the definition. Required unless executionId is given.",
    }),
    input: triggerInput,
    toolResults: Type.Optional(toolResults),
    executionId: Type.Optional({
      ...idField,
      description: "To continue a paused turn: its id from the `start` event.",
    }),
    rollbackAfterMessageId: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()], {
        description: "The last message to keep; null removes all messages.",
      }),
    ),
    ...turnFields,
    stream,
  },
  {
    title: "TriggerRequest",
    description: "A new turn, or the continuation of one.",
    examples: [triggerExample],
  },
);

export const sessionId = text("The id of the session.");
export const agentId = text("The id of the agent.");

export const sessionIdReply = Type.Object(
  { sessionId },
  { title: "CreatedSession", description: "The new session." },
);

export const updatedReply = Type.Object(
  { sessionId, metadata: storedMetadata },
  { title: "UpdatedSession", description: "The session's whole metadata." },
);

export const restoredReply = Type.Object(
  { sessionId, restored: Type.Boolean({ description: "False if the session was already active." }) },
  { title: "RestoredSession", description: "The session is active." },
);

export const clearedReply = Type.Object(
  { sessionId, cleared: Type.Boolean({ description: "True." }) },
  { title: "ClearedSession", description: "The session is expired." },
);

export const cancelledReply = Type.Object(
  { sessionId, cancelled: Type.Boolean({ description: "False if no turn was running." }) },
  { title: "CancelledExecution", description: "No turn is running." },
);

const messages = Type.Array(uiMessage, { description: "The conversation, oldest first." });
const createdAt = timeOf("When the session was created.");
const isActive = Type.Literal("active", { description: "The session is active." });

const count = (description: string) => Type.Integer({ minimum: 0, description });

const tokens = (description: string) =>
  Type.Object(
    {
      inputTokens: count("Sent to models, including those read from caches."),
      outputTokens: count("Written by models, including their reasoning."),
      totalTokens: count("Both."),
    },
    { description },
  );

const amount = (description: string) => Type.Number({ description });

const sessionUsage = Type.Object(
  {
    cost: Type.Object(
      {
        currency: Type.Literal("USD", { description: "US dollars." }),
        providerFee: amount("What the model providers charge."),
        bandwidthFee: amount("What the platform charges."),
        totalFee: amount("Both."),
        byok: Type.Boolean({ description: "True if all model calls used the project's own keys." }),
      },
      { description: "The cost." },
    ),
    tokens: tokens("Tokens of all models."),
    models: Type.Object(
      {},
      { additionalProperties: tokens("Tokens of the model."), description: "Tokens by model id." },
    ),
  },
  { title: "SessionUsage", description: "What all turns of the session have used so far." },
);

const activeSession = Type.Object(
  {
    id: sessionId,
    agentId,
    status: isActive,
    input: sessionInput,
    variables: openObjectOf("The session variables by name."),
    resources: openObjectOf("The resource values by name."),
    metadata: storedMetadata,
    messages,
    usage: sessionUsage,
    createdAt,
    updatedAt: timeOf("When the session last changed."),
  },
  { title: "ActiveSession", description: "An active session in the full format." },
);

const uiSession = Type.Object(
  { sessionId, agentId, status: isActive, messages },
  { title: "UiSession", description: "An active session with `format=ui`." },
);

export const expiredSession = Type.Object(
  {
    sessionId,
    agentId,
    status: Type.Literal("expired", { description: "The session has expired." }),
    createdAt,
  },
  { title: "ExpiredSession", description: "An expired session, which has no messages any more." },
);

export const sessionReply = Type.Union([activeSession, uiSession, expiredSession], {
  title: "Session",
  description: "The session.",
});

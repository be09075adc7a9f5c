import {
  flag,
  inline,
  integer,
  json,
  list,
  object,
  oneOf,
  optional,
  type Static,
  Type,
  text,
} from "@muster/wire/schema";
import { openObjectOf } from "../../schemas/common.ts";
import { callIdSchema } from "../json-rpc.ts";

// Fields that are not listed are ignored, as protocol buffers in JSON want it.
const more = { additionalProperties: true };

const part = Type.Object(
  {
    text: optional(text("A text.")),
    url: optional(text("Where the content of a file is.")),
    data: optional(json("A JSON value, which the agent reads as text.")),
    raw: optional(json("Refused: send the `url` of a file.")),
    mediaType: optional(text("The media type of a file.", { maxLength: 255 })),
    filename: optional(text("The name of a file.", { maxLength: 255 })),
  },
  { ...more, description: "A piece of content; one of `text`, `url` and `data` is set." },
);

const id = (description: string) => text(description, { maxLength: 100 });

const message = Type.Object(
  {
    messageId: text("Chosen by the client. A repeat with the same id starts nothing.", { maxLength: 255 }),
    parts: list("The content.", part, { minItems: 1, maxItems: 100 }),
    taskId: optional(id("The task that the message continues; absent or empty for a new one.")),
    contextId: optional(id("The same as `taskId`: each task is a context of its own.")),
  },
  { ...more, description: "A message to the agent." },
);

const historyLength = optional(
  integer("How many of the latest messages to return. Default: 0.", { minimum: 0, maximum: 1_000 }),
);

const configuration = Type.Object(
  {
    returnImmediately: optional(flag("Whether to return the task at once. Default: false.")),
    historyLength,
    taskPushNotificationConfig: optional(json("Refused: register a webhook instead.")),
  },
  { ...more, description: "How to answer a message." },
);

const states = [
  "SUBMITTED",
  "WORKING",
  "COMPLETED",
  "FAILED",
  "CANCELED",
  "INPUT_REQUIRED",
  "REJECTED",
  "AUTH_REQUIRED",
].map((state) => `TASK_STATE_${state}`);

const params = Type.Object(
  {
    message: optional(message),
    configuration: optional(configuration),
    id: optional(id("The task.")),
    historyLength,
    contextId: optional(id("Only the task of this context.")),
    status: optional(oneOf("Only tasks in this state.", states)),
    pageSize: optional(integer("How many tasks to return.", { minimum: 0, maximum: 100 })),
    pageToken: optional(text("`nextPageToken` of the previous page.", { maxLength: 500 })),
    statusTimestampAfter: optional(json("Refused.")),
  },
  { ...more, description: "The parameters of all methods; each reads its own." },
);
export type Params = Static<typeof params>;

const example = {
  jsonrpc: "2.0",
  id: 1,
  method: "SendMessage",
  params: {
    message: {
      ...{ messageId: "msg-77", role: "ROLE_USER" },
      parts: [{ text: "Which word is most frequent? a b a" }],
    },
    configuration: { returnImmediately: true },
  },
};

export const a2aCall = object(
  "A2aCall",
  "A call of A2A 1.0.",
  {
    jsonrpc: Type.Literal("2.0"),
    id: optional(callIdSchema),
    method: text("`SendMessage`, `GetTask` and so on.", { maxLength: 64 }),
    params: optional(params),
  },
  { ...more, examples: [example] },
);

export const a2aError = object("A2aError", "A refused call of A2A 1.0.", {
  jsonrpc: Type.Literal("2.0"),
  id: callIdSchema,
  error: inline("The refusal.", {
    code: integer("The code of JSON-RPC or of A2A."),
    message: text("What is wrong, and what to do."),
    data: list("Details.", Type.Object({}, more)),
  }),
});

const a2aResult = object("A2aResult", "The result of a call of A2A 1.0.", {
  jsonrpc: Type.Literal("2.0"),
  id: callIdSchema,
  result: openObjectOf("The result, or a `StreamResponse`."),
});

/** A response, or one for each update of a task. */
export const a2aReply = {
  description:
    "The result, or the error of a call that the agent refuses. `SendStreamingMessage` and `SubscribeToTask` send server-sent events, each with a result.",
  content: {
    "application/json": { schema: Type.Union([a2aResult, a2aError]) },
    "text/event-stream": { schema: a2aResult },
  },
};

export const agentCard = object(
  "AgentCard",
  "The agent as A2A 1.0 describes it.",
  { name: text("Its name.") },
  more,
);

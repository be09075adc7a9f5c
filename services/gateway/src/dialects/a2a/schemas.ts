import { flag, integer, json, list, object, optional, type Static, Type, text } from "@muster/wire/schema";
import { openObject } from "../../schemas/common.ts";
import { callIdSchema, responseSchema } from "../json-rpc.ts";

// Fields that are not listed are ignored, as protocol buffers in JSON want it.
const part = openObject("A piece of content; one of `text`, `url` and `data` is set.", {
  text: optional(text("A text.")),
  url: optional(text("The URL of the content of a file.")),
  data: optional(json("A JSON value, which the agent reads as text.")),
  raw: optional(json("Refused: send the `url` of a file.")),
  mediaType: optional(text("The media type of a file.", { maxLength: 255 })),
  filename: optional(text("The name of a file.", { maxLength: 255 })),
});

const id = (description: string) => optional(text(description, { maxLength: 100 }));

const message = openObject("A message to the agent.", {
  messageId: text("Chosen by the client. A repeat with the same id starts nothing.", { maxLength: 255 }),
  parts: list("The content.", part, { minItems: 1, maxItems: 100 }),
  taskId: id("The task that the message continues; absent or empty for a new one."),
  contextId: id("The same as `taskId`: each task is a context of its own."),
});

const historyLength = optional(
  integer("How many of the latest messages to return. Default: 0.", { minimum: 0, maximum: 1_000 }),
);

const configuration = openObject("How to answer a message.", {
  returnImmediately: optional(flag("Whether to return the task at once. Default: false.")),
  historyLength,
  taskPushNotificationConfig: optional(json("Refused: register a webhook instead.")),
});

const params = openObject("The parameters of all methods; each reads its own.", {
  message: optional(message),
  configuration: optional(configuration),
  id: id("The task."),
  historyLength,
  contextId: id("Refused: read the task."),
  status: optional(text("Only tasks in this state.", { pattern: "^(TASK_STATE_[A-Z_]{1,20})?$" })),
  pageSize: optional(integer("How many tasks to return.", { minimum: 0, maximum: 100 })),
  pageToken: optional(text("`nextPageToken` of the previous page.", { maxLength: 500 })),
  statusTimestampAfter: optional(json("Refused.")),
});
export type Params = Static<typeof params>;

const sent = { messageId: "msg-77", role: "ROLE_USER", parts: [{ text: "Which word is frequent? a b a" }] };
const example = { message: sent, configuration: { returnImmediately: true } };

export const a2aCall = object(
  "A2aCall",
  "A call of A2A 1.0.",
  {
    jsonrpc: Type.Literal("2.0"),
    id: optional(callIdSchema),
    method: text("`SendMessage`, `GetTask` and so on.", { maxLength: 64 }),
    params: optional(params),
  },
  {
    additionalProperties: true,
    examples: [{ jsonrpc: "2.0", id: 1, method: "SendMessage", params: example }],
  },
);

export const a2aResponse = responseSchema("A2aResponse", "A2A 1.0");

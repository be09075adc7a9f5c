import { eventSchemas, schemaName } from "@muster/wire/events";
import { inline, nullable, object, optional, Type, text } from "@muster/wire/schema";
import { sessionId } from "./sessions.ts";
import { uiMessage } from "./ui-message.ts";

const schemas = Object.values(eventSchemas);
const mapping = Object.fromEntries(
  Object.keys(eventSchemas).map((type) => [type, `#/components/schemas/${schemaName(type)}`]),
);

const streamEvent = {
  title: "StreamEvent",
  description: "An event of a stream; `type` names it.",
  oneOf: schemas,
  discriminator: { propertyName: "type", mapping },
};

/** The success of the route that continues a stream. Only for the OpenAPI document. */
export const numberedStreamReply = {
  description: [
    "Server-sent events, as those of a trigger; each also has a line `id: <number>`. An event without a number is not",
    "part of the turn: the server ends this response early, and its `error` event has the number to continue after in",
    "`lastSequence`. At the end, the server sends `data: [DONE]`.",
  ].join(" "),
  content: {
    "text/event-stream": {
      schema: streamEvent,
      example: { type: "text-delta", id: "txt_1", delta: "Hello" },
    },
  },
};

/** The success of a route that streams events. Only for the OpenAPI document. */
export const eventStreamReply = {
  description: [
    "Server-sent events. Each is one line `data: <JSON>` and a blank line; the JSON is a `StreamEvent`. The stream",
    "begins with `start`, ends with `finish` or `error` (and `usage` after the `finish` of a worker, or if a trigger asks for it), and then sends",
    "`data: [DONE]`. Ignore events of unknown types, and lines that begin with a colon.",
  ].join(" "),
  content: {
    "text/event-stream": {
      schema: streamEvent,
      example: { type: "text-delta", id: "txt_1", delta: "Hello" },
    },
  },
};

const { cost, tokens } = eventSchemas.usage.properties;
const { openCalls } = eventSchemas.finish.properties;

const executionId = text("The id of the execution, for a continuation.");

const turn = object("Turn", "A turn that has ended, or that waits for tool results, decisions or services.", {
  sessionId,
  executionId,
  finishReason: eventSchemas.finish.properties.finishReason,
  message: nullable("The assistant message; null if the turn has written none that users see.", uiMessage),
  text: text("The message's texts, joined."),
  toolCalls: {
    ...eventSchemas["tool-request"].properties.toolCalls,
    description: "The calls to execute; the turn continues with their results. Empty if it has ended.",
  },
  approvals: optional({
    ...eventSchemas["approval-request"].properties.approvals,
    description: "The calls that wait for a user's decision; the turn then continues by itself.",
  }),
  openCalls: optional({
    ...openCalls,
    description: "The calls whose results services will send; the turn then continues by itself.",
  }),
  usage: optional(
    inline(
      "The usage of the turn so far. Absent only in a replay of a turn that was streamed without `usage`.",
      { cost, tokens },
    ),
  ),
});

/** The success of a trigger. Only for the OpenAPI document. */
export const turnReply = {
  ...eventStreamReply,
  content: { ...eventStreamReply.content, "application/json": { schema: turn } },
};

const replayed = object("ReplayedTurn", "A turn whose events are no longer kept; read the session instead.", {
  sessionId,
  executionId,
  replayed: Type.Literal(true, { description: "An earlier request with the same key has run the turn." }),
});

/** The success of a start. Only for the OpenAPI document. */
export const startReply = {
  ...eventStreamReply,
  content: { ...eventStreamReply.content, "application/json": { schema: Type.Union([turn, replayed]) } },
};

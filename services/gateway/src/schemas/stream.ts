import { eventSchemas, schemaName } from "@muster/wire/events";

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

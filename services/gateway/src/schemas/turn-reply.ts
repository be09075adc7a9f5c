import { eventSchemas } from "@muster/wire/events";
import { inline, nullable, object, optional, Type, text } from "@muster/wire/schema";
import { sessionId } from "./sessions.ts";
import { eventStreamReply } from "./stream.ts";
import { uiMessage } from "./ui-message.ts";

const { cost, tokens } = eventSchemas.usage.properties;

const executionId = text("The id of the execution, for a continuation.");

const turn = object("Turn", "A turn that has ended, or that waits for tool results.", {
  sessionId,
  executionId,
  finishReason: eventSchemas.finish.properties.finishReason,
  message: nullable("The assistant message; null if the turn has written none that users see.", uiMessage),
  text: text("The message's texts, joined."),
  toolCalls: {
    ...eventSchemas["tool-request"].properties.toolCalls,
    description: "The calls to execute; the turn continues with their results. Empty if it has ended.",
  },
  usage: optional(
    inline(
      "What the turn has used so far. Absent only in a replay of a turn that was streamed without `usage`.",
      { cost, tokens },
    ),
  ),
});

/** The success of a trigger. Only for the OpenAPI document. */
export const turnReply = {
  ...eventStreamReply,
  content: { ...eventStreamReply.content, "application/json": { schema: turn } },
};

const replayed = object(
  "ReplayedTurn",
  "A turn whose events are not kept any more; read the session instead.",
  {
    sessionId,
    executionId,
    replayed: Type.Literal(true, { description: "An earlier request with the same key has run the turn." }),
  },
);

/** The success of a start. Only for the OpenAPI document. */
export const startReply = {
  ...eventStreamReply,
  content: { ...eventStreamReply.content, "application/json": { schema: Type.Union([turn, replayed]) } },
};

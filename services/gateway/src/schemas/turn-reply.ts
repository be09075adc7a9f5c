import { eventSchemas } from "@muster/stream-events";
import { Type } from "typebox";
import { nullable, text } from "./common.ts";
import { sessionId } from "./sessions.ts";
import { eventStreamReply } from "./stream.ts";
import { uiMessage } from "./ui-message.ts";

const { cost, tokens } = eventSchemas.usage.properties;

const turn = Type.Object(
  {
    sessionId,
    executionId: text("The id of the execution, for a continuation."),
    finishReason: eventSchemas.finish.properties.finishReason,
    message: nullable(uiMessage, "The assistant message; null if the turn has written none that users see."),
    text: text("The message's texts, joined."),
    toolCalls: {
      ...eventSchemas["tool-request"].properties.toolCalls,
      description: "The calls to execute; the turn continues with their results. Empty if it has ended.",
    },
    usage: Type.Object({ cost, tokens }, { description: "What the turn has used so far." }),
  },
  { title: "Turn", description: "A turn that has ended, or that waits for tool results." },
);

/** The success of a trigger. Only for the OpenAPI document. */
export const turnReply = {
  ...eventStreamReply,
  content: { ...eventStreamReply.content, "application/json": { schema: turn } },
};

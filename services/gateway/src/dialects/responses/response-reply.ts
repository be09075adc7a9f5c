import { integer, list, object, oneOf, Type, text } from "@muster/wire/schema";
import { openObjectOf } from "../../schemas/common.ts";

const response = object(
  "OpenAiResponse",
  "A turn as the OpenAI API describes it.",
  {
    id: text("The id of the response."),
    object: Type.Literal("response", { description: "The kind of document." }),
    created_at: integer("When the turn began, in seconds since 1970."),
    status: oneOf("The state of the turn.", [
      "in_progress",
      "completed",
      "incomplete",
      "failed",
      "cancelled",
    ]),
    model: text("As in the request."),
    output: list("Messages, reasoning, calls of functions and approvals.", openObjectOf("An item.")),
  },
  { additionalProperties: true },
);

/** The success of the routes of responses. */
export const responseReply = {
  description: "The response, or server-sent events, of which the first and the last have it.",
  content: { "application/json": { schema: response }, "text/event-stream": { schema: response } },
};

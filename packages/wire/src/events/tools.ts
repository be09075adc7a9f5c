import { json, optional, Type, text } from "../schema/index.ts";
import { display, event, interrupted, whereabouts } from "./fields.ts";

const toolCallId = text("The id of the call; unique in the stream.");

/** Events about tool calls, as far as the tool's `display` shows them. */
export const toolEvents = {
  "tool-input-start": event("tool-input-start", "The model starts a tool call.", {
    toolCallId,
    toolName: text("The tool's name."),
    title: optional(text("The tool's name for users.")),
    display: optional(display),
    ...whereabouts,
  }),
  "tool-input-delta": event("tool-input-delta", "The arguments continue.", {
    toolCallId,
    inputTextDelta: text("A piece of the arguments' JSON."),
    ...whereabouts,
  }),
  "tool-input-end": event("tool-input-end", "The arguments are complete.", {
    toolCallId,
    ...interrupted,
    ...whereabouts,
  }),
  "tool-input-available": event("tool-input-available", "The parsed arguments of a call.", {
    toolCallId,
    toolName: text("The tool's name."),
    input: json("The arguments, an object."),
    ...whereabouts,
  }),
  "tool-output-available": event("tool-output-available", "The call has succeeded.", {
    toolCallId,
    output: json(
      "The result. If it is longer than the thread's `maxToolOutputTokens`: the text that its model reads, which is its head, a note and its tail.",
    ),
    ...whereabouts,
  }),
  "tool-output-error": event(
    "tool-output-error",
    "The call has failed. The model sees the error and continues.",
    {
      toolCallId,
      error: text("The problem, in one sentence."),
      cancelled: optional(
        Type.Literal(true, { description: "The call was not completed, rather than that it failed." }),
      ),
      ...whereabouts,
    },
  ),
};

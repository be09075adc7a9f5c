import { inline, list, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import { toolNamePattern } from "../../edge/errors/patterns.ts";
import { idOf, openObjectOf, segmentOf } from "../../schemas/common.ts";

export const runParams = Type.Object({ agent: segmentOf("The id or the slug of an interactive agent.") });

const message = inline("A message of the client.", {
  id: text("Its id."),
  role: text("`user` begins a turn, `tool` continues one. Messages of all other roles are ignored."),
  content: optional(Type.Unknown({ description: "A text, or a list of parts." })),
  toolCallId: optional(text("Of a `tool` message: the call.", { minLength: 1, maxLength: 200 })),
  toolCalls: optional(list("Of an assistant: its calls.", inline("A call.", { id: text("Its id.") }))),
  error: optional(text("Of a `tool` message: why the call failed.", { minLength: 1, maxLength: 32_768 })),
});

const tool = inline("A tool that the client executes.", {
  name: text("A name that the agent does not declare.", { pattern: toolNamePattern }),
  description: text("What the tool does, for the model.", { maxLength: 10_000 }),
  parameters: optional(openObjectOf("The JSON Schema of the arguments.")),
});

const decision = inline("The answer to an interrupt.", {
  interruptId: idOf("The id of the interrupt."),
  status: oneOf("`cancelled` denies the call.", ["resolved", "cancelled"]),
  payload: optional(
    inline("The decision.", {
      approved: Type.Boolean({ description: "Whether the call is made." }),
      message: optional(text("For the model.", { maxLength: 2_000 })),
      args: optional(openObjectOf("Arguments that replace those of the model.")),
    }),
  ),
});

export const runBody = object(
  "AgUiRunInput",
  "The request of `HttpAgent`. Further members are ignored.",
  {
    threadId: text("The chat, named by the client.", { minLength: 1, maxLength: 255 }),
    runId: text("The run, named by the client.", { minLength: 1, maxLength: 255 }),
    messages: list(
      "The conversation. A last message of a user, or the last messages of tools, are new; with neither, and without `resume`, the thread is read and its running turn followed.",
      message,
      { maxItems: 10_000 },
    ),
    tools: optional(list("Tools in addition to those of the agent.", tool, { maxItems: 512 })),
    resume: optional(list("The answers to the interrupts of the last run.", decision, { maxItems: 100 })),
  },
  {
    examples: [
      {
        threadId: "t-1",
        runId: "r-1",
        messages: [{ id: "m1", role: "user", content: "Where is my order?" }],
      },
    ],
  },
);

/** A stream of events. Only for the OpenAPI document. */
export const runStream = {
  description: "Server-sent events, each with an event of AG-UI 1.0 as JSON.",
  content: {
    "text/event-stream": {
      schema: object("AgUiEvent", "An event of the run.", { type: text("The type of the event.") }),
      example: { type: "TEXT_MESSAGE_CONTENT", messageId: "msg_1-txt_1", delta: "Hello" },
    },
  },
};

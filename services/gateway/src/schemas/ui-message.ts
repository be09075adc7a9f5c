import {
  flag,
  inline,
  integer,
  list,
  object,
  oneOf,
  optional,
  type TProperties,
  Type,
  text,
} from "@muster/wire/schema";
import { openObjectOf, timeOf } from "./common.ts";

const status = <const Names extends string[]>(...names: Names) => oneOf("The state of the part.", names);

const ofPart = {
  thread: optional(text("The named thread that it belongs to; absent for the main conversation.")),
  visible: optional(flag("Whether clients show it. Only in the full format.")),
};

const part = <Fields extends TProperties>(name: string, description: string, fields: Fields) =>
  object(name, description, { ...fields, ...ofPart });

const writing = { text: text("The text so far."), status: status("streaming", "done") };

const todo = object("Todo", "An entry of the to-do list.", {
  id: text("Unique in the list."),
  content: text("The task."),
  status: oneOf("Its progress.", ["pending", "in_progress", "completed", "cancelled"]),
});

const approval = inline("Of a call that needs a user's decision.", {
  id: text("The id of the approval."),
  status: status("pending", "approved", "denied", "expired", "cancelled"),
  decidedAt: optional(text("When it was decided, in ISO 8601.", { format: "date-time" })),
  message: optional(text("The words of the user who decided.")),
});

const ownParts = [
  part("TextPart", "A text.", { type: Type.Literal("text"), ...writing }),
  part("ReasoningPart", "Reasoning of the model.", { type: Type.Literal("reasoning"), ...writing }),
  part("ToolCallPart", "A tool call, as far as the tool's `display` shows it.", {
    type: Type.Literal("tool-call"),
    toolCallId: text("The id of the call."),
    toolName: text("The tool's name."),
    displayName: text("The tool's name for users."),
    args: openObjectOf("The arguments; empty if the tool's display hides them."),
    result: optional(
      Type.Unknown({
        description:
          "The result, any JSON value. Of one that is longer than the thread's `maxToolOutputTokens`: the text that its model reads.",
      }),
    ),
    error: optional(text("Why the call failed.")),
    approval: optional(approval),
    status: status("pending", "running", "done", "error", "cancelled"),
  }),
  part("OperationPart", "A block that users see without its content.", {
    type: Type.Literal("operation"),
    operationId: text("The id of the operation."),
    name: text("Its name for users."),
    operationType: text("The kind of block."),
    status: status("running", "done", "cancelled"),
  }),
  part("FilePart", "A file.", {
    type: Type.Literal("file"),
    id: text("The id of the file."),
    mediaType: text("Its media type, such as `image/png`."),
    url: text("Where to download it."),
    filename: optional(text("Its name.")),
    size: optional(integer("Its size in bytes.")),
  }),
  part("SourcePart", "A source that the model cites.", {
    type: Type.Literal("source"),
    sourceType: text("`url` or `document`."),
    id: text("The id of the source."),
    url: optional(text("Its address.")),
    title: optional(text("Its title.")),
  }),
  part("ObjectPart", "A structured reply.", {
    type: Type.Literal("object"),
    id: text("The id of the object."),
    typeName: text("The type that the definition declares."),
    object: optional(Type.Unknown({ description: "The value; absent until it is complete." })),
    partial: optional(
      Type.Unknown({ description: "The readable part of a value that is incomplete or invalid." }),
    ),
    status: status("streaming", "done", "error"),
  }),
  part("TodoListPart", "The to-do list as of this message.", {
    type: Type.Literal("todo"),
    todos: list("The whole list.", todo),
    status: status("running", "done"),
  }),
  part("StepStartPart", "The start of a later step within one message.", {
    type: Type.Literal("step-start"),
  }),
];

const parts = [
  ...ownParts,
  part("WorkerPart", "The card of a worker. Its parts never contain another one.", {
    type: Type.Literal("worker"),
    workerId: text("The id of the worker."),
    workerSlug: text("The worker's agent."),
    description: optional(text("The worker in the words of the definition.")),
    parentWorkerId: optional(text("The worker that called it. Absent: the turn itself did.")),
    input: optional(openObjectOf("The input, as far as the display shows it.")),
    // The same type for clients, so that one function shows both.
    parts: list(
      "Its output, as far as the display shows it.",
      Type.Union(ownParts, { "x-typescript": "UiMessagePart" }),
    ),
    output: optional(Type.Unknown({ description: "The value, any JSON." })),
    error: optional(text("Why it failed.")),
    approval: optional(approval),
    status: status("running", "done", "error", "cancelled"),
  }),
];

const role = oneOf("Who wrote it.", ["user", "assistant"]);

/** A message as the server returns it. */
export const uiMessage = object("UiMessage", "A message of a conversation.", {
  id: text("The id of the message."),
  role,
  parts: list(
    "The content, in order.",
    Type.Union(parts, { title: "UiMessagePart", description: "A part of a message." }),
  ),
  status: oneOf("`streaming` until its turn has ended.", ["done", "streaming"]),
  createdAt: timeOf("When it was created."),
  sender: optional(openObjectOf("The author of a user message, if the trigger named one.")),
  summary: optional(
    Type.Literal(true, {
      description: "It is the running summary, in the place of the older turns that became part of it.",
    }),
  ),
  content: optional(text("Its text parts joined. Only in the full format.")),
  visible: optional(flag("Whether clients show it. Only in the full format.")),
});

/** A message as a client sends it back. Its parts are checked by the sessions service. */
export const storedUiMessage = object(
  "StoredUiMessage",
  "A `UiMessage` that the client has stored. Further fields are ignored.",
  {
    id: text("The id of the message.", { minLength: 1, maxLength: 200 }),
    role,
    parts: list(
      "The content, in order.",
      object(
        "StoredUiMessagePart",
        "A `UiMessagePart`.",
        { type: text("The kind of part.", { maxLength: 64 }) },
        { additionalProperties: true },
      ),
    ),
    status: optional(oneOf("Its state.", ["done", "streaming"])),
    createdAt: optional(text("When it was created.", { maxLength: 64 })),
  },
  { additionalProperties: true },
);

import { type TProperties, Type } from "@muster/wire/schema";
import { openObjectOf, text, timeOf } from "./common.ts";

const status = <const Names extends string[]>(...names: Names) =>
  Type.Enum(names, { description: "The state of the part." });

const ofPart = {
  thread: Type.Optional(text("The named thread that it belongs to; absent for the main conversation.")),
  visible: Type.Optional(Type.Boolean({ description: "Whether clients show it. Only in the full format." })),
};

const part = <Fields extends TProperties>(name: string, description: string, fields: Fields) =>
  Type.Object({ ...fields, ...ofPart }, { title: name, description });

const writing = { text: text("The text so far."), status: status("streaming", "done") };

const todo = Type.Object(
  {
    id: text("Unique in the list."),
    content: text("What is to be done."),
    status: Type.Enum(["pending", "in_progress", "completed", "cancelled"], { description: "Its progress." }),
  },
  { title: "Todo", description: "An entry of the to-do list." },
);

const parts = [
  part("TextPart", "A text.", { type: Type.Literal("text"), ...writing }),
  part("ReasoningPart", "Reasoning of the model.", { type: Type.Literal("reasoning"), ...writing }),
  part("ToolCallPart", "A tool call, as far as the tool's `display` shows it.", {
    type: Type.Literal("tool-call"),
    toolCallId: text("The id of the call."),
    toolName: text("The tool's name."),
    displayName: text("The tool's name for users."),
    args: openObjectOf("The arguments; empty if the tool's display hides them."),
    result: Type.Optional(
      Type.Unknown({
        description:
          "The result, any JSON value. Of one that is longer than the thread's `maxToolOutputTokens`: the text that its model reads.",
      }),
    ),
    error: Type.Optional(text("Why the call failed.")),
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
    filename: Type.Optional(text("Its name.")),
    size: Type.Optional(Type.Integer({ description: "Its size in bytes." })),
  }),
  part("SourcePart", "A source that the model cites.", {
    type: Type.Literal("source"),
    sourceType: text("`url` or `document`."),
    id: text("The id of the source."),
    url: Type.Optional(text("Its address.")),
    title: Type.Optional(text("Its title.")),
  }),
  part("ObjectPart", "A structured reply.", {
    type: Type.Literal("object"),
    id: text("The id of the object."),
    typeName: text("The type that the definition declares."),
    object: Type.Optional(Type.Unknown({ description: "The value; absent until it is complete." })),
    partial: Type.Optional(
      Type.Unknown({ description: "What can be read of a value that is not complete, or not valid." }),
    ),
    status: status("streaming", "done", "error"),
  }),
  part("TodoListPart", "The to-do list as of this message.", {
    type: Type.Literal("todo"),
    todos: Type.Array(todo, { description: "The whole list." }),
    status: status("running", "done"),
  }),
  part("StepStartPart", "The start of a later step within one message.", {
    type: Type.Literal("step-start"),
  }),
];

const role = Type.Enum(["user", "assistant"], { description: "Who wrote it." });

/** A message as the server returns it. */
export const uiMessage = Type.Object(
  {
    id: text("The id of the message."),
    role,
    parts: Type.Array(Type.Union(parts, { title: "UiMessagePart", description: "A part of a message." }), {
      description: "The content, in order.",
    }),
    status: Type.Enum(["done", "streaming"], { description: "`streaming` until its turn has ended." }),
    createdAt: timeOf("When it was created."),
    sender: Type.Optional(openObjectOf("The author of a user message, if the trigger named one.")),
    summary: Type.Optional(
      Type.Literal(true, {
        description: "It is the running summary, in the place of the older turns that became part of it.",
      }),
    ),
    content: Type.Optional(text("Its text parts joined. Only in the full format.")),
    visible: Type.Optional(
      Type.Boolean({ description: "Whether clients show it. Only in the full format." }),
    ),
  },
  { title: "UiMessage", description: "A message of a conversation." },
);

/** A message as a client sends it back. Its parts are checked by the sessions service. */
export const storedUiMessage = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 200, description: "The id of the message." }),
    role,
    parts: Type.Array(
      Type.Object(
        { type: Type.String({ maxLength: 64, description: "The kind of part." }) },
        { additionalProperties: true, title: "StoredUiMessagePart", description: "A `UiMessagePart`." },
      ),
      { description: "The content, in order." },
    ),
    status: Type.Optional(Type.Enum(["done", "streaming"], { description: "Its state." })),
    createdAt: Type.Optional(Type.String({ maxLength: 64, description: "When it was created." })),
  },
  {
    additionalProperties: true,
    title: "StoredUiMessage",
    description: "A `UiMessage` that the client has stored. Further fields are ignored.",
  },
);

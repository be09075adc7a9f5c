import { inline, list, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import { idOf } from "../../schemas/common.ts";

const agent = {
  agentId: optional(idOf("The agent of the chat. Send either this or agentSlug.")),
  agentSlug: optional(idOf("The slug of the agent of the chat. Send either this or agentId.")),
};

export const chatQuery = Type.Object({
  ...agent,
  chunks: optional(oneOf("`7`: the client knows `reset-step`, as `ai` does from version 7 on.", ["7"])),
});

export const chatParams = Type.Object({
  id: text("The id of the chat.", { minLength: 1, maxLength: 255 }),
});

const approval = inline("The decision about a tool call.", {
  id: idOf("The id of the approval."),
  approved: optional(Type.Boolean({ description: "The decision." })),
  reason: optional(text("The words of the user.", { maxLength: 2_000 })),
});

const part = object("UiChatPart", "A part of a message. Parts of other types are ignored.", {
  type: text("`text`, `file`, `step-start`, `dynamic-tool` or `tool-<name>`."),
  text: optional(text("Of a text.")),
  url: optional(text("Of a file: a download URL of this server, or a public https address.")),
  mediaType: optional(text("Of a file.")),
  filename: optional(text("Of a file.")),
  toolCallId: optional(text("Of a tool call.")),
  state: optional(text("Of a tool call.")),
  output: optional(Type.Unknown({ description: "The result of a tool call, any JSON value." })),
  errorText: optional(text("Why a tool call failed.")),
  providerExecuted: optional(Type.Boolean({ description: "True: the platform makes the tool call." })),
  approval: optional(approval),
});

const message = object("UiChatMessage", "A message of the client.", {
  id: text("The client's id of the message; the server's for those of the assistant."),
  role: oneOf("Who wrote it.", ["user", "assistant", "system"]),
  parts: list("The content.", part),
});

const triggers = ["submit-message", "regenerate-message"] as const;
const sent = { id: "m1", role: "user", parts: [{ type: "text", text: "Where is my order?" }] };
const example = { id: "chat-1", agentSlug: "support-chat", trigger: triggers[0], messages: [sent] };

export const chatBody = object(
  "UiChatRequest",
  "The request of `DefaultChatTransport`.",
  {
    ...agent,
    id: text("The id of the chat, chosen by the client.", { minLength: 1, maxLength: 255 }),
    messages: list(
      "The conversation. Only the last message is read; if it replaces one, the earlier ones say which.",
      message,
      { minItems: 1, maxItems: 10_000 },
    ),
    trigger: optional(oneOf("`regenerate-message`: the last message is answered again.", triggers)),
    messageId: optional(text("The message that is replaced.")),
  },
  { examples: [example] },
);

/** A stream of chunks. Only for the OpenAPI document. */
export const chunkStream = {
  description:
    "Server-sent events, each with a chunk of the AI SDK's UI message stream, version 1, as JSON. At the end, the server sends `data: [DONE]`.",
  content: {
    "text/event-stream": {
      schema: object("UiMessageChunk", "A chunk of the stream.", { type: text("The type of the chunk.") }),
      example: { type: "text-delta", id: "txt_1", delta: "Hello" },
    },
  },
};

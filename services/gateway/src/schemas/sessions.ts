import { Type } from "typebox";
import { idField, idSegment, openObject, timestamp } from "./common.ts";
import { dynamicToolSchemas, toolResults } from "./tools.ts";

export const sessionParams = Type.Object({ sessionId: idSegment });

export const uiMessage = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 200 }),
    role: Type.Enum(["user", "assistant"]),
    parts: Type.Array(Type.Object({ type: Type.String({ maxLength: 64 }) }, { additionalProperties: true })),
    status: Type.Optional(Type.Enum(["done", "streaming"])),
    createdAt: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: true, description: "UIMessage" },
);

export const createSessionBody = Type.Object({
  agentId: Type.Optional({ ...idField, description: "The agent. Send either this or agentSlug." }),
  agentSlug: Type.Optional({
    ...idField,
    description: "The slug of an active agent. Send either this or agentId.",
  }),
  input: Type.Optional(openObject),
});

export const restoreSessionBody = Type.Object({
  messages: Type.Array(uiMessage, { maxItems: 10_000 }),
  input: Type.Optional(openObject),
});

const sender = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 200 })),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  image: Type.Optional(Type.String({ maxLength: 2_000 })),
});

export const triggerBody = Type.Object({
  triggerName: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "Required unless executionId is given." }),
  ),
  input: Type.Optional(openObject),
  toolResults: Type.Optional(toolResults),
  executionId: Type.Optional(idField),
  rollbackAfterMessageId: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()], {
      description: "The last message to keep; null removes all messages.",
    }),
  ),
  sender: Type.Optional(sender),
  dynamicToolSchemas: Type.Optional(dynamicToolSchemas),
  onDisconnect: Type.Optional(Type.Enum(["cancel", "continue"])),
});

export const sessionIdReply = Type.Object({ sessionId: Type.String() });

const activeSession = Type.Object(
  {
    id: Type.String(),
    agentId: Type.String(),
    status: Type.Literal("active"),
    input: openObject,
    variables: openObject,
    resources: openObject,
    messages: Type.Array(uiMessage),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { description: "Active session" },
);

const uiSession = Type.Object(
  {
    sessionId: Type.String(),
    agentId: Type.String(),
    status: Type.Literal("active"),
    messages: Type.Array(uiMessage),
  },
  { description: "Active session with format=ui" },
);

const expiredSession = Type.Object(
  { sessionId: Type.String(), agentId: Type.String(), status: Type.Literal("expired"), createdAt: timestamp },
  { description: "Expired session" },
);

export const sessionReply = Type.Union([activeSession, uiSession, expiredSession]);

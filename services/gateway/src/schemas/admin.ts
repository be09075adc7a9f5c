import { Type } from "typebox";
import { idField, idSegment, timestamp } from "./common.ts";

export const keyParams = Type.Object({ id: idSegment });

const nullable = { id: Type.Union([Type.String(), Type.Null()]), time: Type.Union([timestamp, Type.Null()]) };

export const createKeyBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  permissions: Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 32,
    description: "Any of sessions, agents, mint-tokens, workforce, admin.",
  }),
  projectId: Type.Optional(Type.Union([idField, Type.Null()])),
  agentId: Type.Optional(Type.Union([idField, Type.Null()])),
  expiresAt: Type.Optional(
    Type.Union([Type.String({ maxLength: 64, description: "ISO 8601" }), Type.Null()]),
  ),
});

const keyFields = {
  id: Type.String(),
  name: Type.String(),
  permissions: Type.Array(Type.String()),
  projectId: Type.String(),
  agentId: nullable.id,
  createdAt: timestamp,
  expiresAt: nullable.time,
};

export const createKeyReply = Type.Object({
  ...keyFields,
  key: Type.String({ description: "The secret, which is shown only once." }),
});

export const keyListReply = Type.Object({
  keys: Type.Array(Type.Object({ ...keyFields, lastUsedAt: nullable.time, anyProject: Type.Boolean() })),
});

export const deleteKeyReply = Type.Object({ id: Type.String(), deleted: Type.Boolean() });

export const createProjectBody = Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) });

export const projectReply = Type.Object({ id: Type.String(), name: Type.String(), createdAt: timestamp });

export const projectListReply = Type.Object({ projects: Type.Array(projectReply) });

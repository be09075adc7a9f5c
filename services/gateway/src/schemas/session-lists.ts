import { Type } from "@muster/wire/schema";
import { numberPatterns } from "../edge/errors/patterns.ts";
import { idField, nullable, text, timeOf } from "./common.ts";
import { agentId, sessionId, storedMetadata } from "./sessions.ts";

export const sessionListQuery = Type.Object(
  {
    agentId: Type.Optional({ ...idField, description: "Only sessions of this agent." }),
    status: Type.Optional(
      Type.Enum(["active", "expired"], {
        description: "Only sessions that are active, or that have expired.",
      }),
    ),
    limit: Type.Optional(
      Type.String({
        pattern: numberPatterns[100],
        description: "The largest number of sessions to return, from 1 to 100. Default: 20.",
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: "`nextCursor` of the previous page, which must have had the same filters.",
      }),
    ),
  },
  {
    // Not part of the OpenAPI document, which has no parameters with open names.
    patternProperties: { "^metadata\\.": Type.String({ minLength: 1, maxLength: 512 }) },
  },
);

const sessionSummary = Type.Object(
  {
    sessionId,
    agentId,
    status: Type.Enum(["active", "expired"], { description: "Whether the session can be triggered." }),
    metadata: storedMetadata,
    title: Type.Optional(
      text(
        "The first text that a user wrote, up to 80 characters. Absent without one, and after the expiry.",
      ),
    ),
    messageCount: Type.Integer({
      minimum: 0,
      description: "The messages that users see; 0 after the expiry.",
    }),
    createdAt: timeOf("When the session was created."),
    updatedAt: timeOf("When the session last changed."),
  },
  { title: "SessionSummary", description: "A session in a list." },
);

export const sessionListReply = Type.Object(
  {
    sessions: Type.Array(sessionSummary, { description: "The sessions, the latest change first." }),
    nextCursor: nullable(Type.String(), "For the next page; null on the last one."),
  },
  { title: "SessionList", description: "A page of sessions." },
);

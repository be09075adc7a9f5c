import { count, list, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import { idOf, nextCursor, pageQuery, timeOf } from "./common.ts";
import { agentId, sessionId, storedMetadata } from "./sessions.ts";

export const sessionListQuery = Type.Object(
  {
    agentId: optional(idOf("Only sessions of this agent.")),
    agentSlug: optional(idOf("Only sessions of the agent with this slug, instead of agentId.")),
    status: optional(oneOf("Only sessions that are active, or that have expired.", ["active", "expired"])),
    subject: optional(text("Only sessions of this subject.", { minLength: 1, maxLength: 256 })),
    limit: pageQuery("sessions", 20).limit,
    cursor: optional(
      text("`nextCursor` of the previous page, which must have had the same filters.", {
        minLength: 1,
        maxLength: 500,
      }),
    ),
  },
  {
    // Not part of the OpenAPI document, which has no parameters with open names.
    patternProperties: { "^metadata\\.": Type.String({ minLength: 1, maxLength: 512 }) },
  },
);

const sessionSummary = object("SessionSummary", "A session in a list.", {
  sessionId,
  agentId,
  status: oneOf("Whether the session can be triggered.", ["active", "expired"]),
  metadata: storedMetadata,
  title: optional(
    text("The first text that a user wrote, up to 80 characters. Absent without one, and after the expiry."),
  ),
  messageCount: count("The messages that users see; 0 after the expiry."),
  createdAt: timeOf("When the session was created."),
  updatedAt: timeOf("When the session last changed."),
});

export const sessionListReply = object("SessionList", "A page of sessions.", {
  sessions: list("The sessions, the most recently changed first.", sessionSummary),
  nextCursor,
});

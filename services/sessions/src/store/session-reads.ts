import type { SessionKey } from "./moves.ts";
import type { SessionCollection, SessionDocument, TurnOfSession } from "./session-document.ts";
import { type EventsOfTurns, eventsOfTurns, type PendingEvents } from "./turn-events.ts";

const describedFields = { _id: 0, agentId: 1, status: 1, expiresAt: 1, metadata: 1 } as const;

export type DescribedSession = Pick<SessionDocument, "agentId" | "status" | "expiresAt" | "metadata">;

/**
 * The fields that `TurnOfSession` lacks. An exclusion, because the inclusion of parts of `execution` would drop one of
 * null.
 */
const turnFields = {
  input: 0,
  head: 0,
  tail: 0,
  memory: 0,
  conversation: 0,
  metadata: 0,
  title: 0,
  usage: 0,
  "execution.frame": 0,
  "pendingEvents.events": 0,
  "earlierEvents.events": 0,
} as const;

/** Reads of one session, each with no more of it than its name says. */
export function sessionReads(sessions: SessionCollection) {
  return {
    find: (key: SessionKey): Promise<SessionDocument | null> => sessions.findOne(idFilter(key)),

    /** Without the conversation and the texts of its turn. */
    findTurn: (key: SessionKey): Promise<TurnOfSession | null> =>
      sessions.findOne<TurnOfSession>(idFilter(key), { projection: turnFields }),

    /** The events that the session's document has. */
    findPendingEvents: async (key: SessionKey): Promise<PendingEvents[]> => {
      const projection = { _id: 0, pendingEvents: 1, earlierEvents: 1 } as const;
      const found = await sessions.findOne<EventsOfTurns>(idFilter(key), { projection });
      return eventsOfTurns(found ?? {});
    },

    /** Only the session's agent and subject, without the conversation. */
    findAgent: (key: SessionKey): Promise<Pick<SessionDocument, "agentId" | "subject"> | null> =>
      sessions.findOne<Pick<SessionDocument, "agentId" | "subject">>(idFilter(key), {
        projection: { agentId: 1, subject: 1 },
      }),

    /** The fields that a change of the metadata needs, without the conversation. */
    findMetadata: (key: SessionKey): Promise<DescribedSession | null> =>
      sessions.findOne<DescribedSession>(idFilter(key), { projection: describedFields }),
  };
}

/** Callers check the agent: an approval names that of its thread. */
function idFilter({ sessionId: _id, projectId, subject }: SessionKey) {
  return { _id, projectId, ...(subject !== undefined && { subject }) };
}

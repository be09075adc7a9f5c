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
    find: ({ projectId, sessionId }: SessionKey): Promise<SessionDocument | null> =>
      sessions.findOne({ _id: sessionId, projectId }),

    /** Without the conversation and the texts of its turn. */
    findTurn: ({ projectId, sessionId }: SessionKey): Promise<TurnOfSession | null> =>
      sessions.findOne<TurnOfSession>({ _id: sessionId, projectId }, { projection: turnFields }),

    /** The events that the session's document has. */
    findPendingEvents: async ({ projectId, sessionId }: SessionKey): Promise<PendingEvents[]> => {
      const projection = { _id: 0, pendingEvents: 1, earlierEvents: 1 } as const;
      const found = await sessions.findOne<EventsOfTurns>({ _id: sessionId, projectId }, { projection });
      return eventsOfTurns(found ?? {});
    },

    /** Only the session's agent, without the conversation. */
    findAgent: ({ projectId, sessionId }: SessionKey): Promise<Pick<SessionDocument, "agentId"> | null> =>
      sessions.findOne<Pick<SessionDocument, "agentId">>(
        { _id: sessionId, projectId },
        { projection: { agentId: 1 } },
      ),

    /** The fields that a change of the metadata needs, without the conversation. */
    findMetadata: ({ projectId, sessionId }: SessionKey): Promise<DescribedSession | null> =>
      sessions.findOne<DescribedSession>({ _id: sessionId, projectId }, { projection: describedFields }),
  };
}

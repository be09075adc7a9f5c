import { cursorOf, type ListFilter, type ListPage } from "../../input/list-request.ts";
import { isExpired } from "../../store/session-document.ts";
import type { ListedSession, Place } from "../../store/session-lists.ts";
import type { SessionStore } from "../../store/session-store.ts";

/** Sessions that a page may read to find those that pass its filters: the rest is for the next page. */
const maxRead = 1_000;
const batchSize = 100;

export interface FoundPage {
  sessions: ListedSession[];
  /** Null: nothing follows. */
  nextCursor: string | null;
}

/**
 * One page of a list. An index finds the sessions of the first entry of metadata, or of the subject or the agent; the other filters are
 * applied to those, to so many at most that a page is cheap however rare a match is. So a page can have few sessions, or
 * none, and yet another one after it.
 */
export async function findPage(
  store: Pick<SessionStore, "list">,
  { filter, limit, after }: ListPage,
  nowMs: number,
): Promise<FoundPage> {
  const { projectId, agentId, subject, entries } = filter;
  const scope = { projectId, agentId, subject, entry: entries[0] };
  // Without further filters, one more than wanted shows whether anything follows.
  const size = isExact(filter) ? limit + 1 : batchSize;
  const found: ListedSession[] = [];
  let place: Place | undefined = after;
  for (let read = 0; read < maxRead; ) {
    const batch = await store.list(scope, place, size);
    for (const session of batch) {
      if (found.length === limit) return { sessions: found, nextCursor: nextCursor(place, filter) };
      place = session;
      read++;
      if (passes(session, filter, nowMs)) found.push(session);
    }
    if (batch.length < size) return { sessions: found, nextCursor: null };
  }
  return { sessions: found, nextCursor: nextCursor(place, filter) };
}

function isExact({ agentId, isActive, subject, entries }: ListFilter): boolean {
  const filters = [...entries, agentId, subject].filter((filter) => filter !== undefined);
  return isActive === undefined && filters.length <= 1;
}

function passes(session: ListedSession, filter: ListFilter, nowMs: number): boolean {
  const { agentId, isActive, subject, entries } = filter;
  if (agentId !== undefined && session.agentId !== agentId) return false;
  if (subject !== undefined && session.subject !== subject) return false;
  if (isActive !== undefined && isActive === isExpired(session, nowMs)) return false;
  return entries.every((entry) => session.metadata?.includes(entry));
}

function nextCursor(place: Place | undefined, filter: ListFilter): string | null {
  return place === undefined ? null : cursorOf(place, filter);
}

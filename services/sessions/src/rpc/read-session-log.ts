import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type ReadSessionLogRequest,
  type ReadSessionLogResponse,
  ReadSessionLogResponseSchema,
} from "@muster/proto/sessions";
import { Issues, refuseToken } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { completed, maxEntries, readLog } from "../conversations/reading/read-log.ts";
import { readsOf } from "../conversations/reading/session-reader.ts";
import { driverOf, found, keyFor, sessionsOf } from "../input/caller.ts";
import { sequenceIn } from "../store/log-store.ts";
import type { SessionKey } from "../store/moves.ts";
import { isExpired } from "../store/session-document.ts";

/** Streams the log of a session or of a worker execution. Refusals are thrown before the first message. */
export async function* readSessionLog(
  context: SessionsContext,
  request: ReadSessionLogRequest,
  call: HandlerContext,
): AsyncGenerator<ReadSessionLogResponse, void, undefined> {
  const caller = refuseToken(driverOf(call), "read logs");
  const key = keyFor(caller, request.sessionId);
  const page = pageOf(request);
  const sessions = sessionsOf(context, caller);
  const session = isExecution(key) ? null : found(key, await sessions.store.find(key));
  if (session !== null && isExpired(session, sessions.clock.now())) {
    const { agentId, createdAt } = session;
    const summary = { active: false, agentId, createdAt: timestampFromDate(createdAt) };
    yield create(ReadSessionLogResponseSchema, { summary });
    return;
  }
  await context.logs.flush();
  const headers = await context.logs.headers(key, session);
  if (isExecution(key)) found(key, headers[0] ?? null);
  const { total, truncated, batches } = await readLog(context.logs.store, key, headers, page);
  yield create(ReadSessionLogResponseSchema, { summary: { active: true, total, truncated } });
  const inTurn = readsOf(context.reads, caller.projectId, call.signal);
  for await (const batch of batches) {
    const entriesJson = await completed(sessions, inTurn, session, batch);
    yield create(ReadSessionLogResponseSchema, { entriesJson });
  }
}

function pageOf({ excludeModelRequests, after, limit }: ReadSessionLogRequest) {
  const issues = new Issues();
  const sequence = after === undefined ? undefined : sequenceIn(after);
  if (after !== undefined && sequence === undefined) {
    issues.add("after", "must be the id or the sequence of an entry");
  }
  if (limit !== undefined && (limit < 1 || limit > maxEntries)) {
    issues.add("limit", `must be a number from 1 to ${maxEntries}`);
  }
  issues.refuse();
  const isPaged = sequence !== undefined || limit !== undefined;
  return { excludeModelRequests, limit: limit ?? maxEntries, ...(isPaged && { after: sequence ?? 0 }) };
}

/** A worker execution is known by its entries, which outlast its document. */
export function isExecution({ sessionId }: SessionKey): boolean {
  return sessionId.startsWith("exe_");
}

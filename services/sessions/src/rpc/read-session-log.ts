import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type ReadSessionLogRequest,
  type ReadSessionLogResponse,
  ReadSessionLogResponseSchema,
} from "@muster/proto/sessions";
import { refuseToken } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { driverOf, found, keyFor } from "../input/access.ts";
import { readLog } from "../reading/read-log.ts";
import type { SessionKey } from "../store/moves.ts";
import { isExpired } from "../store/session-document.ts";
import { sessionsOf } from "./sessions-of.ts";

/** Streams the log of a session or of a worker execution. Refusals are thrown before the first message. */
export async function* readSessionLog(
  context: SessionsContext,
  { sessionId, excludeModelRequests }: ReadSessionLogRequest,
  call: HandlerContext,
): AsyncGenerator<ReadSessionLogResponse, void, undefined> {
  const caller = refuseToken(driverOf(call), "read logs");
  const key = keyFor(caller, sessionId);
  const expired = await expiredSession(sessionsOf(context, caller), key);
  if (expired !== undefined) {
    yield create(ReadSessionLogResponseSchema, { summary: { active: false, ...expired } });
    return;
  }
  await context.logs.flush();
  const headers = await context.logs.store.headers(key);
  if (isExecution(key)) found(key, headers[0] ?? null);
  const { total, truncated, batches } = readLog(context.logs.store, key, headers, { excludeModelRequests });
  yield create(ReadSessionLogResponseSchema, { summary: { active: true, total, truncated } });
  for await (const entriesJson of batches) yield create(ReadSessionLogResponseSchema, { entriesJson });
}

/** Undefined if the session is active. A worker execution is known by its entries, which outlast its document. */
async function expiredSession({ store, clock }: SessionsContext, key: SessionKey) {
  if (isExecution(key)) return undefined;
  const session = found(key, await store.find(key));
  if (!isExpired(session, clock.now())) return undefined;
  return { agentId: session.agentId, createTime: timestampFromDate(session.createdAt) };
}

function isExecution({ sessionId }: SessionKey): boolean {
  return sessionId.startsWith("exe_");
}

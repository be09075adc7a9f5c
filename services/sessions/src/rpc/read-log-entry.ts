import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  type ReadLogEntryRequest,
  type ReadLogEntryResponse,
  ReadLogEntryResponseSchema,
} from "@muster/proto/sessions";
import { Reason, refuseToken, rpcError } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { completed, findEntry } from "../conversations/reading/read-log.ts";
import { piecesOf } from "../conversations/reading/read-messages.ts";
import { readsOf } from "../conversations/reading/session-reader.ts";
import { driverOf, found, keyFor, sessionsOf } from "../input/caller.ts";
import { sequenceIn } from "../store/log-store.ts";
import { refusalFor } from "../store/refusals/unavailable.ts";
import { isExpired } from "../store/session-document.ts";
import { isExecution } from "./read-session-log.ts";

/** Streams one entry of a log with all that is stored of it. */
export async function* readLogEntry(
  context: SessionsContext,
  { sessionId, entryId }: ReadLogEntryRequest,
  call: HandlerContext,
): AsyncGenerator<ReadLogEntryResponse, void, undefined> {
  const caller = refuseToken(driverOf(call), "read logs");
  const key = keyFor(caller, sessionId);
  const sessions = sessionsOf(context, caller);
  try {
    const session = isExecution(key) ? null : found(key, await sessions.store.find(key));
    await context.logs.flush();
    const sequence = sequenceIn(entryId);
    const isGone = sequence === undefined || (session !== null && isExpired(session, sessions.clock.now()));
    const batch = isGone ? undefined : await findEntry(context.logs.store, key, entryId, sequence);
    if (batch === undefined) throw rpcError(Reason.NOT_FOUND, "The log has no such entry.");
    const inTurn = readsOf(context.reads, caller.projectId, call.signal);
    const [entry = ""] = await completed(sessions, inTurn, session, batch, Number.POSITIVE_INFINITY);
    for (const entryJson of piecesOf(entry)) yield create(ReadLogEntryResponseSchema, { entryJson });
  } catch (error) {
    throw refusalFor(error);
  }
}

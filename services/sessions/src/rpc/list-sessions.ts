import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ListSessionsResponseSchema, type SessionSummarySchema } from "@muster/proto/sessions";
import { refuseToken } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { findPage } from "../conversations/reading/find-page.ts";
import { assertAgent, driverOf } from "../input/caller.ts";
import { readListRequest } from "../input/list-request.ts";
import { fromEntries } from "../store/metadata.ts";
import { isExpired } from "../store/session-document.ts";
import type { ListedSession } from "../store/session-lists.ts";
import type { Handler } from "./handler.ts";

export const listSessions: Handler<"listSessions"> = async (context, request, call) => {
  const caller = refuseToken(driverOf(call), "list sessions");
  if (request.agentId !== undefined) assertAgent(caller, request.agentId);
  const page = await readListRequest(request, caller);
  const nowMs = context.clock.now();
  const { sessions, nextCursor } = await findPage(context.store, page, nowMs);
  const summaries: Array<MessageInitShape<typeof SessionSummarySchema>> = [];
  for (const session of sessions) summaries.push(await summaryOf(context, session, nowMs));
  return create(ListSessionsResponseSchema, { sessions: summaries, nextCursor: nextCursor ?? "" });
};

async function summaryOf(context: SessionsContext, session: ListedSession, nowMs: number) {
  const { _id: id, agentId, metadata, createdAt, updatedAt } = session;
  const active = !isExpired(session, nowMs);
  const base = {
    id,
    agentId,
    active,
    metadataJson: JSON.stringify(fromEntries(metadata)),
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
  };
  if (!active) return base;
  const { title, messageCount } = await outlineOf(context, session);
  return { ...base, messageCount, ...(title !== null && { title }) };
}

/** Documents of earlier releases have none until their next turn. */
async function outlineOf({ store, histories }: SessionsContext, session: ListedSession) {
  const { _id: sessionId, projectId, title = null, messageCount } = session;
  if (messageCount !== undefined) return { title, messageCount };
  const whole = await store.find({ projectId, sessionId });
  return whole === null ? { title, messageCount: 0 } : histories.outlineOf(whole);
}

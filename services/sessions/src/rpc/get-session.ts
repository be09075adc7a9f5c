import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import {
  CurrentTurnSchema,
  type GetSessionRequest,
  type GetSessionResponse,
  GetSessionResponseSchema,
  type Session,
  SessionSchema,
  View,
} from "@muster/proto/sessions";
import { Issues, Reason, rpcError } from "@muster/rpc";
import { isHeld } from "@muster/store";
import type { SessionsContext } from "../context.ts";
import { linksOf, readAllMessages, readPage } from "../conversations/reading/read-messages.ts";
import { type InTurn, readsOf } from "../conversations/reading/session-reader.ts";
import { driverOf, found, keyFor, sessionsOf } from "../input/caller.ts";
import { fromEntries } from "../store/metadata.ts";
import { refusalFor } from "../store/refusals/unavailable.ts";
import { isExpired, type SessionDocument } from "../store/session-document.ts";
import { loadConversation } from "../store/state-text.ts";
import { type CurrentTurn, currentTurn } from "../turns/follow/current-turn.ts";
import { sessionUsage } from "../usage/session-usage.ts";

const maxLimit = 1_000;

/** Reads the session in the state of one document. The first piece of its messages is sent with everything else. */
export async function* getSession(
  context: SessionsContext,
  request: GetSessionRequest,
  call: HandlerContext,
): AsyncGenerator<GetSessionResponse, void, undefined> {
  const { projectId } = driverOf(call);
  const inTurn = readsOf(context.reads, projectId, call.signal);
  try {
    const { session, messages, first } = await inTurn(async () => {
      const opened = await open(context, request, call);
      return { ...opened, first: await opened.messages?.next() };
    });
    yield create(GetSessionResponseSchema, { session, messagesJson: first?.value ?? "" });
    if (messages !== undefined) yield* restOf(messages, inTurn);
  } catch (error) {
    throw refusalFor(error);
  }
}

async function* restOf(
  messages: AsyncGenerator<string, void, undefined>,
  inTurn: InTurn,
): AsyncGenerator<GetSessionResponse, void, undefined> {
  try {
    while (true) {
      const { done, value: messagesJson = "" } = await inTurn(() => messages.next());
      if (done) return;
      yield create(GetSessionResponseSchema, { messagesJson });
    }
  } finally {
    await messages.return();
  }
}

async function open(context: SessionsContext, request: GetSessionRequest, call: HandlerContext) {
  const caller = driverOf(call);
  const sessions = sessionsOf(context, caller);
  const key = keyFor(caller, request.sessionId);
  assertPage(request);
  const session = found(key, await sessions.store.find(key));
  const isActive = !isExpired(session, sessions.clock.now());
  return {
    session: await header(sessions, session, isActive, request.view),
    messages: isActive ? await messagesOf(sessions, session, request) : undefined,
  };
}

function assertPage({ limit, beforeMessageId }: GetSessionRequest): void {
  const issues = new Issues();
  if (limit !== undefined && (limit < 1 || limit > maxLimit)) {
    issues.add("limit", `must be a number from 1 to ${maxLimit}`);
  }
  if (beforeMessageId === "") issues.add("before", "must be the id of a message");
  issues.refuse();
}

async function header(
  { clock, onlyHolder }: Pick<SessionsContext, "clock" | "onlyHolder">,
  session: SessionDocument,
  isActive: boolean,
  view: View,
): Promise<Session> {
  const { _id: id, agentId, createdAt, updatedAt } = session;
  const base = { id, agentId, active: isActive, createdAt: timestampFromDate(createdAt) };
  if (!isActive) return create(SessionSchema, base);
  const turn = currentTurn(session, clock.now(), onlyHolder);
  const shared = { ...base, updatedAt: timestampFromDate(updatedAt), ...(turn && { turn: shown(turn) }) };
  const usageJson = JSON.stringify(sessionUsage(session.usage));
  if (view === View.UI) {
    // The workforce service shows the usage of a thread beside its messages.
    return create(SessionSchema, session.workforce === undefined ? shared : { ...shared, usageJson });
  }
  const { variables, resources } = await loadConversation({ ...session, tail: null });
  return create(SessionSchema, {
    ...shared,
    inputJson: session.input ?? "{}",
    variablesJson: JSON.stringify(variables),
    resourcesJson: JSON.stringify(resources),
    metadataJson: JSON.stringify(fromEntries(session.metadata)),
    usageJson,
    ...(session.subject !== undefined && { subject: session.subject }),
  });
}

function shown({ executionId, afterSequence }: CurrentTurn) {
  return create(CurrentTurnSchema, { executionId, afterSequence });
}

/** Throws UNKNOWN_MESSAGE. */
async function messagesOf(
  context: SessionsContext,
  session: SessionDocument,
  { view, limit, beforeMessageId, isOver, filesBaseUrl }: GetSessionRequest,
): Promise<AsyncGenerator<string, void, undefined>> {
  const isRunning =
    isHeld(session.lease, context.clock.now(), context.onlyHolder) ||
    context.executions.runsOf(session._id).includes(session.lease?.runId ?? "");
  const wanted = {
    ...linksOf(context, session, filesBaseUrl),
    view: view === View.UI ? ("ui" as const) : ("full" as const),
    isLeft:
      (session.execution?.state === "running" && !isRunning) ||
      (isOver &&
        session.workforce !== undefined &&
        (session.execution?.state === "paused" || session.execution?.state === "asking")),
  };
  const before =
    beforeMessageId === undefined ? undefined : await context.histories.positionOf(session, beforeMessageId);
  if (beforeMessageId !== undefined && before === undefined) {
    throw rpcError(Reason.UNKNOWN_MESSAGE, `The session has no message ${beforeMessageId}.`);
  }
  return limit === undefined
    ? readAllMessages(context, session, wanted, before)
    : readPage(context, session, { ...wanted, limit, before });
}

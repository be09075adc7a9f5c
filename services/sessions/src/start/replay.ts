import { Reason } from "@muster/proto/errors";
import type { StreamEvent, TurnResult } from "@muster/proto/sessions";
import { readRpcError } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { turnResult } from "../reading/turn-result.ts";
import { type FoundRun, findRun } from "../resume/find-run.ts";
import { follow } from "../resume/follow.ts";
import type { SessionKey } from "../store/moves.ts";
import { isExpired } from "../store/session-document.ts";
import type { StartDocument } from "../store/start-store.ts";

/** The first turn of a session that an earlier request has opened, or undefined if its events are not kept any more. */
export async function findFirstTurn(
  context: SessionsContext,
  { projectId, sessionId, executionId }: StartDocument,
  signal: AbortSignal,
): Promise<FoundRun | undefined> {
  try {
    return await findRun(context, { projectId, sessionId }, { executionId, after: 0 }, signal);
  } catch (error) {
    const { reason } = readRpcError(error);
    if (reason === Reason.EVENTS_GONE || reason === Reason.NOT_FOUND) return undefined;
    throw error;
  }
}

/** Its events from the first one on, live if it is running. Returns the id of the message that it writes. */
export async function* replay(
  context: SessionsContext,
  run: FoundRun,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent[], string, undefined> {
  let messageId = "";
  for await (const events of follow(context, run, 0, signal)) {
    if (messageId === "") messageId = messageIdIn(events);
    yield events;
  }
  // A stream that was cut must not look like one that ended.
  signal.throwIfAborted();
  return messageId;
}

/** Every stream begins with `start`. */
function messageIdIn([start]: readonly StreamEvent[]): string {
  const event: unknown = JSON.parse(start?.json ?? "{}");
  if (typeof event !== "object" || event === null || !("messageId" in event)) return "";
  return String(event.messageId);
}

/** What the turn has written, as far as the session still has it. */
export async function storedResult(
  { store, histories, clock }: SessionsContext,
  key: SessionKey,
  messageId: string,
): Promise<TurnResult> {
  const session = await store.find(key);
  if (session === null || isExpired(session, clock.now())) return turnResult(undefined, messageId);
  return turnResult((await histories.open(session)).conversation, messageId);
}

import type { HandlerContext } from "@connectrpc/connect";
import { Reason } from "@muster/proto/errors";
import type { StreamEvent, TurnResult } from "@muster/proto/sessions";
import { readRpcError } from "@muster/rpc";
import type { SessionsContext } from "../../context.ts";
import { turnResult } from "../../conversations/reading/turn-result.ts";
import type { SessionKey } from "../../store/moves.ts";
import { isExpired, type StoredCommand } from "../../store/session-document.ts";
import type { StartDocument } from "../../store/start-store.ts";
import { type FollowedTurn, findOrAdopt, followTurn } from "../trigger/follow-turn.ts";

/**
 * The first turn of a session that an earlier request has opened, or undefined if its events are no longer kept.
 * `opening`: the command of both requests.
 */
export async function findFirstTurn(
  context: SessionsContext,
  { projectId, sessionId, executionId }: StartDocument,
  opening: StoredCommand,
  call: HandlerContext,
): Promise<FollowedTurn | undefined> {
  try {
    return await findOrAdopt(context, { projectId, sessionId }, { executionId, after: 0, opening }, call);
  } catch (error) {
    const { reason } = readRpcError(error);
    if (reason === Reason.EVENTS_GONE || reason === Reason.NOT_FOUND) return undefined;
    throw error;
  }
}

/** Its events from the first one on, live if it is running. Returns the id of the message that it writes. */
export async function* replay(
  context: SessionsContext,
  { projectId, sessionId, executionId }: StartDocument,
  opening: StoredCommand,
  turn: FollowedTurn,
  call: HandlerContext,
): AsyncGenerator<StreamEvent[], string, undefined> {
  let messageId = "";
  const key = { projectId, sessionId };
  const cursor = { executionId, after: 0, opening, toPause: true };
  for await (const events of followTurn(context, key, cursor, turn, call)) {
    if (messageId === "") messageId = messageIdIn(events);
    yield events;
  }
  return messageId;
}

/** Every stream begins with `start`. */
export function messageIdIn([start]: readonly StreamEvent[]): string {
  const event: unknown = JSON.parse(start?.json ?? "{}");
  if (typeof event !== "object" || event === null || !("messageId" in event)) return "";
  return String(event.messageId);
}

/** The output that the turn has written, as far as the session still has it. */
export async function storedResult(
  { store, histories, clock }: SessionsContext,
  key: SessionKey,
  messageId: string,
): Promise<TurnResult> {
  const session = await store.find(key);
  if (session === null || isExpired(session, clock.now())) return turnResult(undefined, messageId);
  return turnResult((await histories.open(session)).conversation, messageId);
}

import type { HandlerContext } from "@connectrpc/connect";
import type { StreamEvent } from "@muster/proto/sessions";
import type { SessionsContext } from "../../context.ts";
import type { SessionKey } from "../../store/moves.ts";
import { type Cursor, type FoundTurn, findTurn } from "../follow/find-turn.ts";
import { followEvents } from "../follow/follow-events.ts";
import { adoptTurn } from "./adopt-turn.ts";

export type FollowedTurn = Exclude<FoundTurn, { abandoned: unknown }>;

/** The latest part of an execution. If the process that executed it has died, this instance continues it. */
export async function findOrAdopt(
  context: SessionsContext,
  key: SessionKey,
  cursor: Cursor,
  call: HandlerContext,
): Promise<FollowedTurn> {
  while (true) {
    const found = await findTurn(context, key, cursor, call.signal);
    if (!("abandoned" in found)) return found;
    await adoptTurn(context, found.abandoned, call);
  }
}

/** The events after the cursor to the end of the turn, or to its pause if the cursor says so, whichever processes execute it. Throws if the caller leaves. */
export async function* followTurn(
  context: SessionsContext,
  key: SessionKey,
  cursor: Cursor,
  found: FollowedTurn,
  call: HandlerContext,
): AsyncGenerator<StreamEvent[], void, undefined> {
  let last = cursor.after;
  let turn = found;
  const behindPause = cursor.toPause ? createPauseFinder() : undefined;
  while (true) {
    const pieces = followEvents(context, turn, { ...cursor, after: last }, call.signal);
    let piece = await pieces.next();
    for (; !piece.done; piece = await pieces.next()) {
      const end = behindPause?.(piece.value) ?? -1;
      const events = end === -1 ? piece.value : piece.value.slice(0, end);
      last = events.at(-1)?.sequence ?? last;
      yield events;
      if (end !== -1) {
        await pieces.return("ended");
        return;
      }
    }
    // A stream that was cut must not look like one that ended.
    call.signal.throwIfAborted();
    if (piece.value === "ended") return;
    turn = await findOrAdopt(context, key, { ...cursor, after: last }, call);
  }
}

/** Finds the first event behind the turn's pause for decisions in the events so far; -1 if there is none. */
function createPauseFinder(): (events: readonly StreamEvent[]) => number {
  let isPaused = false;
  return (events) =>
    events.findIndex((event) => {
      if (isPaused) return event.type !== "usage";
      isPaused = isPause(event);
      return false;
    });
}

/** The turn waits for decisions of users, or for services. Its events may already continue. */
function isPause({ type, json }: StreamEvent): boolean {
  if (type !== "finish") return false;
  const event: unknown = JSON.parse(json);
  if (typeof event !== "object" || event === null || !("finishReason" in event)) return false;
  return event.finishReason === "other" && ("approvals" in event || "openCalls" in event);
}

import type { HandlerContext } from "@connectrpc/connect";
import type { StreamEvent } from "@muster/proto/sessions";
import type { SessionsContext } from "../../context.ts";
import type { SessionKey } from "../../store/moves.ts";
import { type Cursor, type FoundRun, findRun } from "../resume/find-run.ts";
import { follow } from "../resume/follow.ts";
import { adopt } from "./adopt.ts";

export type LivingRun = Exclude<FoundRun, { abandoned: unknown }>;

/** The latest run of an execution. If the process that executed it has died, this instance continues it. */
export async function findLiving(
  context: SessionsContext,
  key: SessionKey,
  cursor: Cursor,
  call: HandlerContext,
): Promise<LivingRun> {
  while (true) {
    const found = await findRun(context, key, cursor, call.signal);
    if (!("abandoned" in found)) return found;
    await adopt(context, found.abandoned, call);
  }
}

/** The events after the cursor to the end of the run, whichever processes execute it. Throws if the caller leaves. */
export async function* readRun(
  context: SessionsContext,
  key: SessionKey,
  cursor: Cursor,
  found: LivingRun,
  call: HandlerContext,
): AsyncGenerator<StreamEvent[], void, undefined> {
  let last = cursor.after;
  let run = found;
  while (true) {
    const pieces = follow(context, run, { ...cursor, after: last }, call.signal);
    let piece = await pieces.next();
    for (; !piece.done; piece = await pieces.next()) {
      last = piece.value.at(-1)?.sequence ?? last;
      yield piece.value;
    }
    // A stream that was cut must not look like one that ended.
    call.signal.throwIfAborted();
    if (piece.value === "ended") return;
    run = await findLiving(context, key, { ...cursor, after: last }, call);
  }
}

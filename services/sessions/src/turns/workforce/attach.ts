import type { HandlerContext } from "@connectrpc/connect";
import type { StreamEvent } from "@muster/proto/sessions";
import { Reason, readRpcError } from "@muster/rpc";
import type { HiddenContext } from "../../context.ts";
import type { SessionKey } from "../../store/moves.ts";
import type { RunCall, StoredCommand } from "../../store/session-document.ts";
import { findOrAdopt, followTurn } from "../trigger/follow-turn.ts";

/**
 * The events of a call after a given one, followed to its end; if the process that executed it has died, this instance
 * continues it. Returns false if the call was refused meanwhile, so that nothing has begun. Throws EVENTS_GONE.
 */
export async function* attach(
  hidden: HiddenContext,
  key: SessionKey,
  { executionId, run, requestId }: RunCall,
  { after, opening }: { after: number; opening: StoredCommand },
  call: HandlerContext,
): AsyncGenerator<StreamEvent[], boolean, undefined> {
  const cursor = { executionId, run, after, opening };
  let hasEvents = false;
  try {
    const found = await findOrAdopt(hidden, key, cursor, call);
    for await (const events of followTurn(hidden, key, cursor, found, call)) {
      hasEvents = true;
      yield events;
    }
    return true;
  } catch (error) {
    if (hasEvents || readRpcError(error).reason !== Reason.EVENTS_GONE) throw error;
    const latest = (await hidden.store.findTurn(key))?.workforce?.call;
    if (latest?.requestId === requestId && latest.run === run) throw error;
    return false;
  }
}

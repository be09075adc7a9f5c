import { type CallPrincipal, isWorkforce } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";

/** The sessions that exist for a caller: the workforce service has its own, which no other caller reaches. */
export function sessionsOf(context: SessionsContext, caller: CallPrincipal): SessionsContext {
  return isWorkforce(caller) ? context.hidden : context;
}

import type { HandlerContext } from "@connectrpc/connect";
import { callerOf, forbidden, isPlatform } from "@muster/rpc";

/** Throws FORBIDDEN for every caller but the platform itself. */
export function assertPlatform(call: HandlerContext): void {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform itself works on recordings.");
}

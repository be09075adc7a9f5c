import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import { forbidden, Reason, rpcError } from "./errors.ts";
import type { CallPrincipal, Permission } from "./principal.ts";

export const callerKey = createContextKey<CallPrincipal | undefined>(undefined, { description: "caller" });
export const requestIdKey = createContextKey("", { description: "request id" });

/** On whose behalf the call is made. Throws UNAUTHENTICATED when it carries no principal. */
export function callerOf(context: HandlerContext): CallPrincipal {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw rpcError(Reason.UNAUTHENTICATED, "The call carries no valid principal.");
  return caller;
}

/** Throws FORBIDDEN, naming what is missing, unless the caller has one of the permissions. */
export function requirePermission(caller: CallPrincipal, ...anyOf: Permission[]): void {
  if (anyOf.some((permission) => caller.permissions.has(permission))) return;
  throw forbidden(`This needs the permission ${anyOf.map((p) => `\`${p}\``).join(" or ")}.`);
}

/** The id of the request that the call belongs to; made up by the server when the client sent none. */
export function requestIdOf(context: HandlerContext): string {
  return context.values.get(requestIdKey);
}

import { type CallPrincipal, isWorkforce } from "@muster/rpc";
import type { AuthContext } from "../context.ts";
import { type ApiKeyDocument, isStillUsable } from "../store/documents.ts";

/** The limits on the life of the keys that a caller creates. */
export type Creator = Pick<ApiKeyDocument, "expiresAt">;

/** The creator of a new key. Undefined: its own key no longer works. The workforce service has no key. */
export async function findCreator(context: AuthContext, caller: CallPrincipal): Promise<Creator | undefined> {
  if (isWorkforce(caller)) return {};
  const key = await context.keys.find(caller.keyId);
  return isStillUsable(key, caller, context.clock.now()) ? key : undefined;
}

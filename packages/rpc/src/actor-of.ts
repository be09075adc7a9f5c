import type { HandlerContext } from "@connectrpc/connect";
import { type Actor, actorHeader, actorKinds } from "./actor.ts";
import { callerOf, requestIdOf } from "./call-context.ts";
import { type CallPrincipal, isWorkforce } from "./principal.ts";

// They are stored and shown, and a caller inside the network could send any text.
const plainId = /^[\w.:-]{1,128}$/;
const plainIp = /^[\da-fA-F.:]{2,45}$/;

/** Who makes the change of a call: its principal, or the one for whom the workforce service says that it acts. */
export function actorOf(call: HandlerContext): Actor {
  const caller = callerOf(call);
  const [kindText = "", id = "", ip = ""] = (call.requestHeader.get(actorHeader) ?? "").split(",");
  const address = plainIp.test(ip) ? { ip } : {};
  const kind = actorKinds.find((known) => known === kindText);
  if (kind !== undefined && plainId.test(id) && isWorkforce(caller)) return { kind, id, ...address };
  return { ...credentialOf(caller), ...address };
}

/** Options for the call by which the workforce service makes a change for the caller of another one. */
export function onBehalfOf(call: HandlerContext): { requestId: string; actor: Actor } {
  return { requestId: requestIdOf(call), actor: actorOf(call) };
}

function credentialOf({ keyId, tokenId, loginId }: CallPrincipal): Pick<Actor, "kind" | "id"> {
  if (tokenId !== undefined) return { kind: tokenId.startsWith("tok_") ? "token" : "identity", id: tokenId };
  if (loginId !== undefined) return { kind: "login", id: loginId };
  return { kind: keyId.startsWith("key_") ? "key" : "platform", id: keyId };
}

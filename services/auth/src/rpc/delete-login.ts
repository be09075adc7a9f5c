import { actorOf, callerOf, forbidden, isPlatform, requestIdOf } from "@muster/rpc";
import { formOf, hashCredential } from "@muster/service/credentials";
import { tokenRevokedEvent } from "../events.ts";
import { unauthenticated } from "./authenticate.ts";
import type { Handler } from "./handler.ts";

/** The secret is the permission, so that a login ends even if its key no longer works. */
export const deleteLogin: Handler<"deleteLogin"> = async (context, { secret }, call) => {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform itself passes on logins that end.");
  const login = formOf(secret) === "login" && (await context.tokens.findByHash(hashCredential(secret)));
  const now = new Date(context.clock.now());
  if (!login || login.revokedAt !== undefined || login.expiresAt <= now) throw unauthenticated();
  const { _id, projectId } = login;
  const by = { actor: { ...actorOf(call), kind: "login" as const, id: _id }, requestId: requestIdOf(call) };
  const entry = context.auditEntry(by, "login.delete", { projectId, target: _id });
  await context.tokens.revoke(login, now, tokenRevokedEvent(context, login), entry);
  context.outboxes.tokens.wake();
  return {};
};

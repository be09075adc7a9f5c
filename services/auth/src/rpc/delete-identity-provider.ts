import { adminOf, revisionMismatch } from "@muster/rpc";
import { identityProviderChangedEvent } from "../events.ts";
import { unknownIdentityProvider } from "./get-identity-provider.ts";
import type { Handler } from "./handler.ts";

export const deleteIdentityProvider: Handler<"deleteIdentityProvider"> = async (context, request, call) => {
  const { projectId } = adminOf(call);
  const { id, expectedRevisions } = request;
  const event = identityProviderChangedEvent(context, { _id: id, projectId });
  const now = new Date(context.clock.now());
  const entry = context.auditEntry(call, "identity-provider.delete", { projectId, target: id });
  const key = { projectId, id };
  const outcome = await context.identityProviders.remove(key, now, event, entry, expectedRevisions);
  if (outcome === "unknown") throw unknownIdentityProvider();
  if (outcome === "changed") throw revisionMismatch("identity provider");
  context.outboxes.identity_providers.wake();
  return {};
};

import { adminOf, revisionMismatch } from "@muster/rpc";
import { identityProviderChangedEvent } from "../events.ts";
import { unknownIdentityProvider } from "./get-identity-provider.ts";
import type { Handler } from "./handler.ts";

export const deleteIdentityProvider: Handler<"deleteIdentityProvider"> = async (context, request, call) => {
  const { projectId } = adminOf(call);
  const { id, expectedRevisions } = request;
  const event = identityProviderChangedEvent(context, { _id: id, projectId });
  const now = new Date(context.clock.now());
  const outcome = await context.identityProviders.remove({ projectId, id }, now, event, expectedRevisions);
  if (outcome === "unknown") throw unknownIdentityProvider();
  if (outcome === "changed") throw revisionMismatch("identity provider");
  context.outboxes.identity_providers.wake();
  return {};
};

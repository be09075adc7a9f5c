import { adminOf } from "@muster/rpc";
import { identityProviderChangedEvent } from "../events.ts";
import { unknownIdentityProvider } from "./get-identity-provider.ts";
import type { Handler } from "./handler.ts";

export const deleteIdentityProvider: Handler<"deleteIdentityProvider"> = async (context, { id }, call) => {
  const { projectId } = adminOf(call);
  const event = identityProviderChangedEvent(context, { _id: id, projectId });
  const now = new Date(context.clock.now());
  const outcome = await context.identityProviders.remove({ projectId, id }, now, event);
  if (outcome === "unknown") throw unknownIdentityProvider();
  context.outboxes.identity_providers.wake();
  return {};
};

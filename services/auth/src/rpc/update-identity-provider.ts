import { create } from "@bufbuild/protobuf";
import { sameFields } from "@muster/events/audit";
import { UpdateIdentityProviderResponseSchema } from "@muster/proto/auth";
import { adminOf, revisionMismatch } from "@muster/rpc";
import { isAtRevision } from "@muster/store";
import { identityProviderChangedEvent } from "../events.ts";
import { parseIdentityProviderChanges } from "../identity-provider-request.ts";
import { isStillUsable } from "../store/documents.ts";
import { unauthenticated } from "./authenticate.ts";
import { unknownIdentityProvider } from "./get-identity-provider.ts";
import type { Handler } from "./handler.ts";
import { toIdentityProvider } from "./messages.ts";

export const updateIdentityProvider: Handler<"updateIdentityProvider"> = async (context, request, call) => {
  const caller = adminOf(call);
  const { identityProviders, federation, clock } = context;
  const name = { projectId: caller.projectId, id: request.id };
  const provider = await identityProviders.find(name.projectId, name.id);
  if (provider === null) throw unknownIdentityProvider();
  const expected = request.expectedRevisions;
  if (!isAtRevision(provider, expected)) throw revisionMismatch("identity provider");
  const changes = parseIdentityProviderChanges(request, provider.issuer, federation.checkUrl);
  if (Object.keys(changes).length === 0) return responseOf(provider);
  const now = clock.now();
  // Looked up again: a key that was deleted some seconds ago must not open another way in.
  if (!isStillUsable(await context.keys.find(caller.keyId), caller, now)) throw unauthenticated();
  // Others end no streams.
  const isOfTokens = Object.keys(changes).some((field) => field !== "name" && field !== "managed");
  const event = !isOfTokens ? undefined : identityProviderChangedEvent(context, provider);
  const entry = context.auditEntry(call, "identity-provider.update", {
    ...{ projectId: caller.projectId, target: provider._id },
    ...{ before: sameFields(provider, changes), after: changes },
  });
  const changed = await identityProviders.update(name, changes, new Date(now), event, entry, expected);
  if (changed === null)
    throw expected.length > 0 ? revisionMismatch("identity provider") : unknownIdentityProvider();
  context.outboxes.identity_providers.wake();
  return responseOf(changed);
};

function responseOf(provider: Parameters<typeof toIdentityProvider>[0]) {
  return create(UpdateIdentityProviderResponseSchema, { identityProvider: toIdentityProvider(provider) });
}

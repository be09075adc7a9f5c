import { create } from "@bufbuild/protobuf";
import { CreateIdentityProviderResponseSchema } from "@muster/proto/auth";
import { adminOf, Reason, rpcError } from "@muster/rpc";
import { identityProviderChangedEvent } from "../events.ts";
import { maxProviders } from "../federation/limits.ts";
import { parseIdentityProvider } from "../identity-provider-request.ts";
import { isStillUsable } from "../store/documents.ts";
import type { IdentityProviderDocument } from "../store/identity-providers.ts";
import { unauthenticated } from "./authenticate.ts";
import type { Handler } from "./handler.ts";
import { toIdentityProvider } from "./messages.ts";
import { requireProject } from "./require-project.ts";

export const createIdentityProvider: Handler<"createIdentityProvider"> = async (context, request, call) => {
  const caller = adminOf(call);
  const wanted = parseIdentityProvider(request, context.federation.checkUrl);
  // Looked up again: a key that was deleted a moment ago must not leave a way in behind.
  const creator = await context.keys.find(caller.keyId);
  if (!isStillUsable(creator, caller, context.clock.now())) throw unauthenticated();
  await requireProject(context, caller.projectId);
  if ((await context.identityProviders.count(caller.projectId)) >= maxProviders) throw tooMany();

  const now = new Date(context.clock.now());
  const _id = context.newId("idp");
  const { projectId } = caller;
  const change = { projectId, target: _id };
  const provider: IdentityProviderDocument = {
    ...wanted,
    _id,
    projectId,
    createdAt: now,
    updatedAt: now,
    outbox: [],
    audit: [context.auditEntry(call, "identity-provider.create", { ...change, after: wanted })],
  };
  await context.identityProviders.insert(provider);
  // The creator may have been deleted in between: as with keys, everything that stays was in the list before.
  if (!isStillUsable(await context.keys.find(caller.keyId), caller, context.clock.now())) {
    const event = identityProviderChangedEvent(context, provider);
    const entry = context.auditEntry(call, "identity-provider.delete", change);
    await context.identityProviders.remove({ projectId, id: _id }, now, event, entry);
    throw unauthenticated();
  }
  return create(CreateIdentityProviderResponseSchema, { identityProvider: toIdentityProvider(provider) });
};

function tooMany() {
  return rpcError(
    Reason.INVALID_REQUEST,
    `The project has ${maxProviders} identity providers already. Delete one that is not needed.`,
  );
}

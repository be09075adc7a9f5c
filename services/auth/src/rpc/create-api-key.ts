import { create } from "@bufbuild/protobuf";
import { CreateApiKeyResponseSchema } from "@muster/proto/auth";
import { type CredentialKind, hashCredential, newCredential } from "@muster/service/credentials";
import { announceProjectChange, revokedEvent } from "../events.ts";
import { assertWithinGrant, parseKeyRequest } from "../key-request.ts";
import type { ApiKeyDocument } from "../store/documents.ts";
import type { KeyHolder } from "../store/keys.ts";
import { unauthenticated } from "./authenticate.ts";
import { keyAdminOf, keyScopeOf } from "./caller.ts";
import { findCreator } from "./find-creator.ts";
import type { Handler } from "./handler.ts";
import { toApiKey } from "./messages.ts";
import { requireProject } from "./require-project.ts";

export const createApiKey: Handler<"createApiKey"> = async (context, request, call) => {
  const caller = keyAdminOf(call, request);
  const nowMs = context.clock.now();
  const wanted = parseKeyRequest(request, nowMs);
  // Looked up again: a key that was deleted a moment ago must not leave a successor behind.
  const creator = await findCreator(context, caller);
  if (creator === undefined) throw unauthenticated();
  assertWithinGrant(wanted, caller, creator);
  const projectId = wanted.projectId ?? caller.projectId;
  await requireProject(context, projectId);

  const secret = newCredential(kindOf(wanted), context.random);
  const _id = context.newId("key");
  const change = { projectId, target: _id, after: wanted };
  const key: ApiKeyDocument = {
    ...wanted,
    _id,
    projectId,
    hash: hashCredential(secret),
    anyProject: false,
    createdAt: new Date(nowMs),
    outbox: [],
    audit: [context.auditEntry(call, "key.create", change)],
  };
  await context.keys.insert(key);
  // The creator may have been deleted in between. A key that stays was in the list before its creator was deleted, so the
  // operator who deletes a leaked key finds all that it has created.
  if ((await findCreator(context, caller)) === undefined) {
    const entry = context.auditEntry(call, "key.delete", { projectId, target: _id });
    const scope = keyScopeOf({ ...caller, projectId });
    await context.keys.remove(_id, scope, new Date(nowMs), revokedEvent(context, key), entry);
    throw unauthenticated();
  }
  if (key.limits !== undefined) await announceProjectChange(context, projectId);
  return create(CreateApiKeyResponseSchema, { apiKey: toApiKey(key), secret });
};

function kindOf({ agentId, computerId }: KeyHolder): CredentialKind {
  if (computerId !== undefined) return "computer-token";
  return agentId === undefined ? "key" : "agent-key";
}

import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { MintTokenResponseSchema } from "@muster/proto/auth";
import { forbidden, requirePermission } from "@muster/rpc";
import { hashCredential, newCredential } from "@muster/service/credentials";
import { isStillUsable, type TokenDocument } from "../store/documents.ts";
import { parseTokenRequest, tokenExpiry } from "../token-request.ts";
import { unauthenticated } from "./authenticate.ts";
import { minterOf } from "./caller.ts";
import type { Handler } from "./handler.ts";

export const mintToken: Handler<"mintToken"> = async (context, request, call) => {
  const caller = minterOf(call);
  // A token can use sessions, and a key grants only its own permissions.
  requirePermission(caller, "sessions");
  const { ttlS, ...scope } = parseTokenRequest(request);
  if (scope.approve) requirePermission(caller, "approve");
  if (caller.agentId !== undefined && caller.agentId !== scope.agentId) {
    throw forbidden("This key can mint tokens only for its own agent.");
  }
  const nowMs = context.clock.now();
  // Looked up again, because the caller was authenticated up to some seconds ago. A key that is deleted after this leaves
  // a token behind that never works: authentication looks the key up as well.
  const key = await context.keys.find(caller.keyId);
  if (!isStillUsable(key, caller, nowMs)) throw unauthenticated();

  const secret = newCredential("token", context.random);
  const _id = context.newId("tok");
  const { projectId } = caller;
  const token: TokenDocument = {
    ...scope,
    _id,
    projectId,
    hash: hashCredential(secret),
    keyId: key._id,
    keyGeneration: key.generation ?? 0,
    createdAt: new Date(nowMs),
    expiresAt: tokenExpiry(ttlS, nowMs, key.expiresAt),
    outbox: [],
    audit: [context.auditEntry(call, "token.mint", { projectId, target: _id, after: scope })],
  };
  await context.tokens.insert(token);
  return create(MintTokenResponseSchema, {
    token: secret,
    tokenId: token._id,
    expiresAt: timestampFromDate(token.expiresAt),
  });
};

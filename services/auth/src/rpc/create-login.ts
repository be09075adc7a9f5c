import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { CreateLoginResponseSchema } from "@muster/proto/auth";
import { callerOf, forbidden, permissions, refuseToken, requirePermission } from "@muster/rpc";
import { hashCredential, newCredential } from "@muster/service/credentials";
import { isStillUsable, type LoginDocument } from "../store/documents.ts";
import { loginExpiry } from "../token-request.ts";
import { unauthenticated } from "./authenticate.ts";
import type { Handler } from "./handler.ts";

/** Their number is bounded as that of tokens is: each one ends by itself. */
export const createLogin: Handler<"createLogin"> = async (context, _request, call) => {
  const caller = refuseToken(callerOf(call), "log in");
  if (caller.loginId !== undefined) throw forbidden("A login cannot create another. Use an API key.");
  requirePermission(caller, ...permissions);
  const nowMs = context.clock.now();
  // Looked up again, as for tokens.
  const key = await context.keys.find(caller.keyId);
  if (!isStillUsable(key, caller, nowMs)) throw unauthenticated();

  const secret = newCredential("login", context.random);
  const _id = context.newId("log");
  // Not that of the caller, which may act in any: the login belongs where its key does.
  const { projectId } = key;
  const login: LoginDocument = {
    _id,
    projectId,
    hash: hashCredential(secret),
    keyId: key._id,
    keyGeneration: key.generation ?? 0,
    createdAt: new Date(nowMs),
    expiresAt: loginExpiry(nowMs, key.expiresAt),
    outbox: [],
    audit: [context.auditEntry(call, "login.create", { projectId, target: _id })],
  };
  await context.tokens.insert(login);
  const expiresAt = timestampFromDate(login.expiresAt);
  return create(CreateLoginResponseSchema, { secret, loginId: _id, expiresAt });
};

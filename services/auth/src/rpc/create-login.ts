import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { OwnAction } from "@muster/events/audit";
import { CreateLoginResponseSchema, type User } from "@muster/proto/auth";
import {
  actorOf,
  callerOf,
  forbidden,
  type HandlerContext,
  isPlatform,
  permissions,
  refuseToken,
  requestIdOf,
  requirePermission,
} from "@muster/rpc";
import { hashCredential, newCredential } from "@muster/service/credentials";
import type { AuthContext } from "../context.ts";
import { type ApiKeyDocument, isStillUsable, type LoginDocument } from "../store/documents.ts";
import { loginExpiry, userLoginEnd } from "../token-request.ts";
import { unauthenticated } from "./authenticate.ts";
import type { Handler } from "./handler.ts";
import { keyOfUser } from "./key-of-user.ts";

/** The key of a login, and its entry in the audit log. */
interface Maker {
  key: ApiKeyDocument;
  by: HandlerContext | OwnAction;
  endsAt?: Date;
  claims?: object;
}

/** Their number is bounded as that of tokens is: each one ends by itself. */
export const createLogin: Handler<"createLogin"> = async (context, { user }, call) => {
  const _id = context.newId("log");
  const { key, by, endsAt, claims } = await (user === undefined
    ? asCaller(context, call)
    : asUser(context, user, _id, call));
  const nowMs = context.clock.now();
  const secret = newCredential("login", context.random);
  // Not that of the caller, which may act in any: the login belongs where its key does.
  const { projectId } = key;
  const change = { projectId, target: _id, ...(claims && { after: claims }) };
  const login: LoginDocument = {
    _id,
    projectId,
    hash: hashCredential(secret),
    keyId: key._id,
    keyGeneration: key.generation ?? 0,
    createdAt: new Date(nowMs),
    expiresAt: loginExpiry(nowMs, key.expiresAt, endsAt),
    ...(endsAt && { endsAt }),
    outbox: [],
    audit: [context.auditEntry(by, "login.create", change)],
  };
  await context.tokens.insert(login);
  const expiresAt = timestampFromDate(login.expiresAt);
  return create(CreateLoginResponseSchema, { secret, loginId: _id, expiresAt });
};

async function asCaller(context: AuthContext, call: HandlerContext): Promise<Maker> {
  const caller = refuseToken(callerOf(call), "log in");
  if (caller.loginId !== undefined) throw forbidden("A login cannot create another. Use an API key.");
  requirePermission(caller, ...permissions);
  // Looked up again, as for tokens.
  const key = await context.keys.find(caller.keyId);
  if (!isStillUsable(key, caller, context.clock.now())) throw unauthenticated();
  return { key, by: call };
}

async function asUser(
  context: AuthContext,
  user: User,
  loginId: string,
  call: HandlerContext,
): Promise<Maker> {
  if (!isPlatform(callerOf(call))) throw forbidden("Only the platform itself names the user who logs in.");
  const actor = { ...actorOf(call), kind: "login" as const, id: loginId };
  const by = { actor, requestId: requestIdOf(call) };
  const key = await keyOfUser(context, user, by);
  const { issuer, subject, claims } = user;
  return { key, by, endsAt: userLoginEnd(context.clock.now()), claims: { issuer, subject, claims } };
}

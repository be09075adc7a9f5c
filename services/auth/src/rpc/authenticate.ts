import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AuthenticateResponseSchema, type PrincipalSchema } from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import { formOf, hashCredential, sameHash } from "@muster/service/credentials";
import type { AuthContext } from "../context.ts";
import type { FederatedIdentity } from "../federation/federation.ts";
import { type ApiKeyDocument, isTokenUsable, isUsable, type TokenDocument } from "../store/documents.ts";
import { loginExpiry } from "../token-request.ts";
import type { Handler } from "./handler.ts";

/** The only call without authentication. */
export const authenticate: Handler<"authenticate"> = async (context, request) => {
  const principal = await identify(context, request.credential);
  if (principal === undefined) throw unauthenticated();
  return create(AuthenticateResponseSchema, { principal });
};

/** One message for all causes, so that nothing can be probed. */
export function unauthenticated() {
  return rpcError(
    Reason.UNAUTHENTICATED,
    "Send a valid API key or token as Authorization: Bearer <API_KEY>.",
  );
}

type PrincipalFields = MessageInitShape<typeof PrincipalSchema>;

async function identify(context: AuthContext, credential: string): Promise<PrincipalFields | undefined> {
  switch (formOf(credential)) {
    case "key":
    case "agent-key":
    case "computer-token":
      return identifyKey(context, hashCredential(credential));
    case "token":
    case "login":
      return identifyMinted(context, hashCredential(credential));
    case "jwt":
      return identifyFederated(context, credential);
    case undefined:
      return undefined;
  }
}

async function identifyKey(context: AuthContext, hash: string): Promise<PrincipalFields | undefined> {
  const key = await context.keys.findByHash(hash);
  if (!key || !sameHash(key.hash, hash) || !isUsable(key, context.clock.now())) return undefined;
  context.lastUse.note(key);
  return principalOfKey(key);
}

async function identifyMinted(context: AuthContext, hash: string): Promise<PrincipalFields | undefined> {
  const token = await context.tokens.findByHash(hash);
  if (!token || !sameHash(token.hash, hash)) return undefined;
  const key = await context.keys.find(token.keyId);
  if (!key || !isTokenUsable(token, key, context.clock.now())) return undefined;
  context.lastUse.note(key);
  if ("agentId" in token) return principalOfToken(token);
  const expiresAt = loginExpiry(context.clock.now(), key.expiresAt, token.endsAt);
  context.lastUse.extend(token, expiresAt);
  return { ...principalOfKey(key), loginId: token._id, expiresAt: timestampFromDate(expiresAt) };
}

async function identifyFederated(context: AuthContext, text: string): Promise<PrincipalFields | undefined> {
  const identity = await context.federation.identify(text);
  return identity && principalOfFederated(identity);
}

function principalOfKey(key: ApiKeyDocument): PrincipalFields {
  return {
    projectId: key.projectId,
    keyId: key._id,
    keyGeneration: key.generation ?? 0,
    permissions: key.permissions,
    anyProject: key.anyProject,
    ...(key.agentId === undefined ? {} : { agentId: key.agentId }),
    ...(key.computerId === undefined ? {} : { computerId: key.computerId }),
    ...(key.expiresAt ? { expiresAt: timestampFromDate(key.expiresAt) } : {}),
  };
}

/** A token drives sessions, decides on approvals if it was minted for that, and nothing else, whatever its key may do. */
function principalOfToken(token: TokenDocument): PrincipalFields {
  return {
    projectId: token.projectId,
    keyId: token.keyId,
    keyGeneration: token.keyGeneration,
    tokenId: token._id,
    permissions: token.approve ? ["sessions", "approve"] : ["sessions"],
    anyProject: false,
    agentId: token.agentId,
    ...(token.sessionId === undefined ? {} : { sessionId: token.sessionId }),
    ...(token.maxUsd === undefined ? {} : { maxUsd: token.maxUsd }),
    ...(token.subject === undefined ? {} : { subject: token.subject }),
    expiresAt: timestampFromDate(token.expiresAt),
  };
}

/** Like an ephemeral token. The provider takes the place of a token's key: changing it ends all its tokens. */
function principalOfFederated(identity: FederatedIdentity): PrincipalFields {
  const { provider, subjectId, agentId, sessionId, sessionSubject, expiresAtMs } = identity;
  return {
    projectId: provider.projectId,
    keyId: provider._id,
    tokenId: subjectId,
    permissions: ["sessions"],
    anyProject: false,
    agentId,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(sessionSubject === undefined ? {} : { subject: sessionSubject }),
    expiresAt: timestampFromMs(expiresAtMs),
  };
}

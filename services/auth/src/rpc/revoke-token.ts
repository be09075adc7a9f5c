import { create } from "@bufbuild/protobuf";
import {
  type RevokeTokenRequest,
  type RevokeTokenResponse,
  RevokeTokenResponseSchema,
} from "@muster/proto/auth";
import { invalidRequest } from "@muster/rpc";
import { hashCredential } from "@muster/service/credentials";
import { tokenRevokedEvent } from "../events.ts";
import type { TokenName } from "../store/tokens.ts";
import { minterOf } from "./caller.ts";
import type { Handler } from "./handler.ts";

export const revokeToken: Handler<"revokeToken"> = async (context, request, call) => {
  const { projectId, agentId } = minterOf(call);
  const name = nameOf(request);
  const now = new Date(context.clock.now());
  const scope = { projectId, ...(agentId === undefined ? {} : { agentId }) };
  const token = await context.tokens.findLive(name, scope, now);
  if (token === null) return unknown();
  if (token.revokedAt === undefined) {
    const entry = context.auditEntry(call, "token.revoke", { projectId, target: token._id });
    await context.tokens.revoke(token, now, tokenRevokedEvent(context, token), entry);
    context.outboxes.tokens.wake();
  }
  return create(RevokeTokenResponseSchema, { revoked: true, tokenId: token._id });
};

/** Throws INVALID_REQUEST if nothing is named. */
function nameOf({ by }: RevokeTokenRequest): TokenName {
  if (!by.value) throw invalidRequest("token", "must be given, or jti");
  return by.case === "token" ? { hash: hashCredential(by.value) } : { id: by.value };
}

function unknown(): RevokeTokenResponse {
  return create(RevokeTokenResponseSchema, { revoked: false });
}

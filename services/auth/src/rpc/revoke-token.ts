import { create } from "@bufbuild/protobuf";
import { formOf, hashCredential } from "@muster/credentials";
import {
  type RevokeTokenRequest,
  type RevokeTokenResponse,
  RevokeTokenResponseSchema,
} from "@muster/proto/auth";
import { invalidRequest } from "@muster/rpc";
import { tokenRevokedEvent } from "../events.ts";
import type { TokenName } from "../store/tokens.ts";
import { minterOf } from "./callers.ts";
import type { Handler } from "./handler.ts";

export const revokeToken: Handler<RevokeTokenRequest, RevokeTokenResponse> = async (
  context,
  request,
  call,
) => {
  const { projectId, agentId } = minterOf(call);
  const name = nameOf(request);
  if (name === undefined) return unknown();
  const now = new Date(context.clock.now());
  const scope = { projectId, ...(agentId === undefined ? {} : { agentId }) };
  const token = await context.tokens.findLive(name, scope, now);
  if (token === null) return unknown();
  if (token.revokedAt === undefined) {
    await context.tokens.revoke(token, now, tokenRevokedEvent(context, token));
    context.tokenOutbox.wake();
  }
  return create(RevokeTokenResponseSchema, { revoked: true, tokenId: token._id });
};

/** Undefined for a text that cannot be a token. Throws INVALID_REQUEST if nothing is named. */
function nameOf({ by }: RevokeTokenRequest): TokenName | undefined {
  switch (by.case) {
    case "token":
      return formOf(by.value) === "token" ? { hash: hashCredential(by.value) } : undefined;
    case "tokenId":
      return by.value === "" ? undefined : { id: by.value };
    case undefined:
      throw invalidRequest("token", "must be given, or jti");
  }
}

function unknown(): RevokeTokenResponse {
  return create(RevokeTokenResponseSchema, { revoked: false });
}

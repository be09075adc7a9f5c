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

const notAToken =
  "must be a complete token as it was minted: svc_et_, 32 characters, _ and 6 characters; give the id of a token as jti";

/** Throws INVALID_REQUEST if nothing is named, or a text that cannot be a token: it would stay valid unnoticed. */
function nameOf({ by }: RevokeTokenRequest): TokenName {
  switch (by.case) {
    case "token":
      if (formOf(by.value) !== "token") throw invalidRequest("token", notAToken);
      return { hash: hashCredential(by.value) };
    case "tokenId":
      return { id: by.value };
    case undefined:
      throw invalidRequest("token", "must be given, or jti");
  }
}

function unknown(): RevokeTokenResponse {
  return create(RevokeTokenResponseSchema, { revoked: false });
}

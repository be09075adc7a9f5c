import { flag, integer, object, optional, text } from "@muster/wire/schema";
import { body, idOf, subjectOf, timeOf } from "./common.ts";
import { mintTokenExample, revokeTokenExample } from "./examples.ts";
import { maxUsd } from "./monthly-limits.ts";

export const mintTokenBody = body("MintTokenRequest", "The scope of the new token.", mintTokenExample, {
  agentId: optional(idOf("The only agent whose sessions the token may use. Send either this or agentSlug.")),
  agentSlug: optional(idOf("The slug of the agent. Send either this or agentId.")),
  sessionId: optional(
    idOf("The only session that the token may use. Default: any session of the agent, and new ones."),
  ),
  approve: optional(
    flag(
      "True for a token that also decides on approvals of its session. Needs sessionId, and a key with the permission approve. Default: false.",
    ),
  ),
  maxUsd,
  subject: subjectOf(
    "The subject of the token: it can use only the sessions and executions of this subject, and new ones belong to it. Default: none.",
  ),
  ttlSeconds: optional(
    integer(
      "The lifetime of the token in seconds, at most 86400 and never beyond that of the key that mints it; a longer one is shortened. Default: 3600.",
      { minimum: 1 },
    ),
  ),
});

export const mintTokenReply = object("MintedToken", "The new token.", {
  token: text("The credential, which is shown only once. Send it like an API key."),
  jti: text("The id of the token, for its revocation."),
  expiresAt: timeOf("When the token stops working."),
});

export const revokeTokenBody = body(
  "RevokeTokenRequest",
  "The token to revoke, named by itself or by its id.",
  revokeTokenExample,
  {
    token: optional(text("The token itself.", { minLength: 1 })),
    jti: optional(idOf("The id of the token, instead of the token itself.")),
  },
);

export const revokeTokenReply = object("RevokedToken", "The outcome.", {
  revoked: flag("False if the text is not a token of this project, or the token has expired."),
  jti: optional(text("The id of the token; absent if it is unknown or has expired.")),
});

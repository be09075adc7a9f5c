import { Type } from "@muster/wire/schema";
import { idField, text, timeOf } from "./common.ts";
import { mintTokenExample, revokeTokenExample } from "./examples.ts";

export const mintTokenBody = Type.Object(
  {
    agentId: { ...idField, description: "The id of the only agent whose sessions the token may use." },
    sessionId: Type.Optional({
      ...idField,
      description:
        "The only session that the token may use. Default: any session of the agent, and new ones.",
    }),
    ttlSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          "How long the token lives, at most 86400, and not longer than the key that mints it; more is shortened. Default: 3600.",
      }),
    ),
  },
  { title: "MintTokenRequest", description: "The scope of the new token.", examples: [mintTokenExample] },
);

export const mintTokenReply = Type.Object(
  {
    token: text("The credential, which is shown only once. Send it like an API key."),
    jti: text("The id of the token, for its revocation."),
    expiresAt: timeOf("When the token stops working."),
  },
  { title: "MintedToken", description: "The new token." },
);

export const revokeTokenBody = Type.Object(
  {
    token: Type.Optional(Type.String({ minLength: 1, description: "The token itself." })),
    jti: Type.Optional({ ...idField, description: "The id of the token, instead of the token itself." }),
  },
  {
    title: "RevokeTokenRequest",
    description: "The token to revoke, named by itself or by its id.",
    examples: [revokeTokenExample],
  },
);

export const revokeTokenReply = Type.Object(
  {
    revoked: Type.Boolean({
      description: "False if the text is no token of this project, or the token has expired.",
    }),
    jti: Type.Optional(text("The id of the token; absent if it is unknown or has expired.")),
  },
  { title: "RevokedToken", description: "The outcome." },
);

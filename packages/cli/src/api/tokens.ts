import type { Api } from "../http/api.ts";
import { optionalText, text } from "../read.ts";

export interface NewToken {
  readonly agentId?: string;
  readonly agentSlug?: string;
  readonly sessionId?: string | undefined;
  readonly approve?: true | undefined;
  readonly maxUsd?: number | undefined;
  readonly subject?: string | undefined;
  readonly ttlSeconds?: number | undefined;
}

/** The response is the only one that contains the token. `expiresAt`: ISO 8601. */
export async function mintToken(api: Api, wanted: NewToken) {
  const minted = await api.read("POST", "/api/tokens", { body: wanted });
  return { token: text(minted, "token"), jti: text(minted, "jti"), expiresAt: text(minted, "expiresAt") };
}

export type TokenName = { readonly token: string } | { readonly jti: string };

/** `jti` is missing if nothing was revoked. */
export async function revokeToken(api: Api, name: TokenName) {
  const outcome = await api.read("POST", "/api/tokens/revoke", { body: name });
  return { revoked: outcome.revoked === true, jti: optionalText(outcome, "jti") };
}

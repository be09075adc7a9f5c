import type { Api } from "../http/api.ts";
import { optionalText, record, text } from "../read.ts";

export interface NewToken {
  readonly agentId: string;
  readonly sessionId?: string | undefined;
  readonly ttlSeconds?: number | undefined;
}

export interface MintedToken {
  readonly token: string;
  readonly jti: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** The response is the only one that contains the token. */
export async function mintToken(api: Api, wanted: NewToken): Promise<MintedToken> {
  const { body } = await api.request("POST", "/api/tokens", { body: wanted });
  const minted = record(body);
  return { token: text(minted, "token"), jti: text(minted, "jti"), expiresAt: text(minted, "expiresAt") };
}

export type TokenName = { readonly token: string } | { readonly jti: string };

/** `jti` is missing if nothing was revoked. */
export async function revokeToken(
  api: Api,
  name: TokenName,
): Promise<{ revoked: boolean; jti?: string | undefined }> {
  const { body } = await api.request("POST", "/api/tokens/revoke", { body: name });
  const outcome = record(body);
  return { revoked: outcome.revoked === true, jti: optionalText(outcome, "jti") };
}

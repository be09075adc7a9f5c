import type { Http, Sent } from "./http.ts";
import type { MintedToken, MintTokenRequest, RevokedToken, RevokeTokenRequest } from "./wire-types.ts";

/** Short-lived credentials for browsers and other programs that you do not trust. Your server mints them. */
export class Tokens {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** A token for the sessions of an agent, or for one session. In the browser, `getToken` returns the result. */
  mint(body: MintTokenRequest, { signal }: Pick<Sent, "signal"> = {}): Promise<MintedToken> {
    return this.#http.json("POST", "/api/tokens", { body, signal });
  }

  /** Revokes a token, named by itself or its `jti`. Again is without effect, so the request is repeated if necessary. */
  revoke(body: RevokeTokenRequest, { signal }: Pick<Sent, "signal"> = {}): Promise<RevokedToken> {
    return this.#http.json("POST", "/api/tokens/revoke", { body, signal, isRepeatable: true });
  }
}

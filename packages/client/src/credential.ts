import type { Clock } from "./patience.ts";

export interface TokenSource {
  /** An API key. It does not belong in browsers. */
  apiKey?: string | undefined;
  /** A token, which cannot be renewed. */
  token?: string | undefined;
  /** Gets a token from your server: at first, shortly before it expires if `expiresAt` says when, and once after a 401. */
  getToken?: (() => Promise<Token | string>) | undefined;
}

/** Part of the response to a mint. */
export interface Token {
  token: string;
  /** ISO 8601. */
  expiresAt?: string | undefined;
}

/** Renewed so long before its end, so that no request arrives after it. */
const leadMs = 30_000;

/** The credential of requests. Concurrent requests share one renewal. */
export class Credential {
  readonly #fixed: string | undefined;
  readonly #getToken: TokenSource["getToken"];
  readonly #clock: Clock;
  #current: Promise<Token> | undefined;
  #isRenewing = false;

  constructor({ apiKey, token, getToken }: TokenSource, clock: Clock) {
    this.#fixed = apiKey ?? token;
    this.#getToken = getToken;
    this.#clock = clock;
  }

  get isRenewable(): boolean {
    return this.#getToken !== undefined;
  }

  /** `wasRejected`: the server has refused the current one. */
  async header(wasRejected: boolean): Promise<string | undefined> {
    if (this.#getToken === undefined) return this.#fixed && `Bearer ${this.#fixed}`;
    if (this.#current === undefined || (wasRejected && !this.#isRenewing)) this.#renew(this.#getToken);
    else if (!this.#isRenewing && this.#isEnding(await this.#current) && !this.#isRenewing)
      this.#renew(this.#getToken);
    return `Bearer ${(await this.#current)?.token}`;
  }

  #isEnding({ expiresAt }: Token): boolean {
    return expiresAt !== undefined && Date.parse(expiresAt) - this.#clock.date() < leadMs;
  }

  #renew(getToken: NonNullable<TokenSource["getToken"]>): void {
    this.#isRenewing = true;
    this.#current = getToken()
      .then((given) => (typeof given === "string" ? { token: given } : given))
      .finally(() => {
        this.#isRenewing = false;
      });
    // The next request asks again.
    this.#current.catch(() => {
      this.#current = undefined;
    });
  }
}

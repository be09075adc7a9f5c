import { NotSentError } from "./errors.ts";
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
  #current: Token | undefined;
  #renewal: Promise<Token> | undefined;

  constructor({ apiKey, token, getToken }: TokenSource, clock: Clock) {
    this.#fixed = apiKey ?? token;
    this.#getToken = getToken;
    this.#clock = clock;
  }

  get isRenewable(): boolean {
    return this.#getToken !== undefined;
  }

  /** `rejected`: the header that the server has refused. A token is used until its end, also while it is renewed. */
  async header(signal: AbortSignal, rejected?: string): Promise<string | undefined> {
    if (this.#getToken === undefined) return this.#fixed && bearer(this.#fixed);
    const { token, expiresAt } = this.#current ?? {};
    const leftMs = expiresAt === undefined ? leadMs : Date.parse(expiresAt) - this.#clock.date();
    const isUsable = token !== undefined && bearer(token) !== rejected && !(leftMs <= 0);
    if (isUsable && !(leftMs < leadMs)) return bearer(token);
    this.#renewal ??= this.#renew(this.#getToken);
    if (isUsable) return bearer(token);
    const renewed = await Promise.race([this.#renewal, reasonToStop(signal)]).catch((cause) => {
      // The next request does not wait for a call that hangs.
      if (signal.aborted) this.#renewal = undefined;
      throw new NotSentError(cause);
    });
    return bearer(renewed.token);
  }

  #renew(getToken: NonNullable<TokenSource["getToken"]>): Promise<Token> {
    const get = async () => {
      const given = await getToken();
      this.#current = typeof given === "string" ? { token: given } : given;
      return this.#current;
    };
    const renewal = get().finally(() => {
      if (this.#renewal === renewal) this.#renewal = undefined;
    });
    // The next request asks again.
    renewal.catch(() => undefined);
    return renewal;
  }
}

function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** Rejects once the request has ended. */
function reasonToStop(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
  });
}

import type { Secret } from "@muster/service";

/** An access token of a server's credentials. All times are in ms since 1970. */
export interface StoredToken {
  accessToken: Secret;
  /** The authorization server that issued it. Without a configured issuer, no other one receives the credentials. */
  issuer: string;
  issuedAt: number;
  /** Undefined if the issuer does not say. */
  expiresAt: number | undefined;
  /** From the server's challenge, for the next token. */
  resourceMetadataUrl: string | undefined;
  scope: string | undefined;
}

/** Shares tokens, between instances if it stores them outside the process. The key differs for any other credential or server. */
export interface TokenStore {
  get(key: string): Promise<StoredToken | undefined>;
  /** A token is used once this has resolved. */
  put(key: string, token: StoredToken): Promise<void>;
  /** Runs the work while no other of this key runs. Rejects if the signal aborts while it waits. */
  lock<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

const maxTokens = 1_000;

/** Shares tokens in this process. */
export class MemoryTokenStore implements TokenStore {
  readonly #tokens = new Map<string, StoredToken>();
  readonly #locks = new Map<string, Promise<unknown>>();

  async get(key: string): Promise<StoredToken | undefined> {
    return this.#tokens.get(key);
  }

  async put(key: string, token: StoredToken): Promise<void> {
    this.#tokens.delete(key);
    this.#tokens.set(key, token);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > maxTokens && oldest !== undefined) this.#tokens.delete(oldest);
  }

  async lock<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.#locks.get(key) ?? Promise.resolve();
    const own = before.then(() => {
      signal.throwIfAborted();
      return work();
    });
    // The caller of this work gets its failure; the next one only waits for its end.
    const settled = own.catch(() => {});
    this.#locks.set(key, settled);
    try {
      return await own;
    } finally {
      if (this.#locks.get(key) === settled) this.#locks.delete(key);
    }
  }
}

import { type Authenticator, nameOf } from "./authenticator.ts";
import { type Identity, idsOf } from "./identity.ts";

/** The credential of a request that may still be running when it is revoked or expires. */
export interface HeldCredential {
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The same for every request with this credential. Does not contain it. */
  readonly name: string;
  /** The ids that a revocation may name; the first one identifies the credential itself. */
  readonly ids: readonly [string, ...string[]];
  /** Milliseconds since 1970; Infinity if it never expires. */
  readonly expiresAtMs: number;
  /** When the auth service was asked about it, by the monotonic clock. A revocation since then counts. */
  readonly askedAtMs: number;
  /**
   * Asks the auth service again, unless it was asked at `sinceMs` or later, by the monotonic clock. Resolves with when it was asked, or with
   * undefined if the credential is not valid. Rejects if the auth service does not respond soon.
   */
  confirm(sinceMs: number): Promise<number | undefined>;
}

/** Keeps the credential itself private, so that no log line can contain it. */
export class RequestCredential implements HeldCredential {
  readonly projectId: string;
  readonly ids: readonly [string, ...string[]];
  readonly expiresAtMs: number;
  readonly askedAtMs: number;
  readonly #authenticator: Authenticator;
  readonly #credential: string;
  readonly #requestId: string;

  constructor(authenticator: Authenticator, identity: Identity, credential: string, requestId: string) {
    this.projectId = identity.principal.projectId;
    this.ids = idsOf(identity.principal);
    this.expiresAtMs = identity.expiresAtMs;
    this.askedAtMs = identity.askedAtMs;
    this.#authenticator = authenticator;
    this.#credential = credential;
    this.#requestId = requestId;
  }

  /** Computed only for streams. */
  get name(): string {
    return nameOf(this.#credential);
  }

  confirm(sinceMs: number): Promise<number | undefined> {
    return this.#authenticator.confirm(this.#credential, this.#requestId, sinceMs);
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined on public routes. */
    credential: HeldCredential | undefined;
  }
}

import type { Authenticator } from "./authenticator.ts";
import { type Identity, idsOf } from "./identity.ts";

/** The credential of a request that may still be running when it is revoked or expires. */
export interface HeldCredential {
  /** The ids that a revocation may name; the first one identifies the credential itself. */
  readonly ids: readonly [string, ...string[]];
  /** Milliseconds since 1970; Infinity if it never expires. */
  readonly expiresAtMs: number;
  /** When the auth service was asked about it. A revocation since then counts. */
  readonly askedAtMs: number;
  /** Asks the auth service again. Rejects if it cannot be reached. */
  isValid(): Promise<boolean>;
}

/** Keeps the credential itself private, so that no log line can contain it. */
export class RequestCredential implements HeldCredential {
  readonly ids: readonly [string, ...string[]];
  readonly expiresAtMs: number;
  readonly askedAtMs: number;
  readonly #authenticator: Authenticator;
  readonly #credential: string;
  readonly #requestId: string;

  constructor(authenticator: Authenticator, identity: Identity, credential: string, requestId: string) {
    this.ids = idsOf(identity.principal);
    this.expiresAtMs = identity.expiresAtMs;
    this.askedAtMs = identity.askedAtMs;
    this.#authenticator = authenticator;
    this.#credential = credential;
    this.#requestId = requestId;
  }

  isValid(): Promise<boolean> {
    return this.#authenticator.recheck(this.#credential, this.#requestId);
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined on public routes. */
    credential: HeldCredential | undefined;
  }
}

import type { HeldCredential } from "../auth/held-credential.ts";
import { RevokedIds } from "../auth/revoked-ids.ts";
import type { EventStream } from "./event-stream.ts";

/** Finds the streams of a credential that was revoked or has expired. */
export class StreamsByCredential {
  readonly #byId = new Map<string, Map<EventStream, HeldCredential>>();
  readonly #revoked = new RevokedIds();

  /** Whether it was revoked after its request was admitted. */
  isRevoked({ ids, askedAtMs }: HeldCredential): boolean {
    return this.#revoked.hasSince(ids, askedAtMs);
  }

  add(stream: EventStream, credential: HeldCredential): void {
    for (const id of credential.ids) {
      const streams = this.#byId.get(id) ?? new Map<EventStream, HeldCredential>();
      this.#byId.set(id, streams);
      streams.set(stream, credential);
    }
  }

  remove(stream: EventStream, { ids }: HeldCredential): void {
    for (const id of ids) {
      const streams = this.#byId.get(id);
      streams?.delete(stream);
      if (streams?.size === 0) this.#byId.delete(id);
    }
  }

  /** Ends the streams that depend on this credential, now and if their requests were admitted just before. */
  revoke(id: string, nowMs: number): void {
    this.#revoked.add(id, nowMs);
    this.#end(id);
  }

  /** Ends the streams whose credential has expired. */
  expire(nowMs: number): void {
    for (const [id, credential] of this.#credentials()) if (credential.expiresAtMs <= nowMs) this.#end(id);
  }

  /** Asks again about every credential once, and ends the streams of those that are no longer valid. */
  async recheck(nowMs: number): Promise<void> {
    const checks = [...this.#credentials()].map(async ([id, credential]) => {
      // While the auth service cannot be reached, nothing is known to be invalid.
      const isValid = await credential.isValid().catch(() => true);
      if (!isValid) this.revoke(id, nowMs);
    });
    await Promise.all(checks);
  }

  /** One for each that identifies itself by the id, not those that only depend on it. */
  *#credentials(): Generator<[string, HeldCredential]> {
    for (const [id, streams] of this.#byId) {
      for (const credential of streams.values()) {
        if (credential.ids[0] !== id) continue;
        yield [id, credential];
        break;
      }
    }
  }

  #end(id: string): void {
    for (const stream of [...(this.#byId.get(id)?.keys() ?? [])]) stream.endUnauthenticated();
  }
}

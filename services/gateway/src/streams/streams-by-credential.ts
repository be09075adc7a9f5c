import { type Clock, FairQueue } from "@muster/service";
import type { HeldCredential } from "../auth/request-credential.ts";
import { RevokedIds } from "../auth/revoked-ids.ts";
import type { EventStream } from "./event-stream.ts";

/** More at once would make the requests of others wait for their authentication. */
const checksAtOnce = 20;
/** After a check without a response. */
const retryMs = 500;

/** The open streams of one credential, which are checked together. */
interface Held {
  readonly credential: HeldCredential;
  readonly streams: Set<EventStream>;
  /** When the auth service was last asked and said that it is valid. */
  confirmedAtMs: number;
  /** After a check without a response. */
  notBeforeMs: number;
  isChecking: boolean;
}

/** Finds the streams of a credential that was revoked or has expired. */
export class StreamsByCredential {
  readonly #clock: Clock;
  readonly #recheckMs: number;
  readonly #held = new Map<string, Held>();
  readonly #byId = new Map<string, Set<EventStream>>();
  readonly #revoked = new RevokedIds();
  readonly #checks = new FairQueue({ running: checksAtOnce });

  /** `recheckMs`: how long a credential is taken for valid, counted from the question to the auth service. */
  constructor(clock: Clock, recheckMs: number) {
    this.#clock = clock;
    this.#recheckMs = recheckMs;
  }

  /** Whether it was revoked after its request was admitted. */
  isRevoked({ ids, askedAtMs }: HeldCredential): boolean {
    return this.#revoked.hasSince(ids, askedAtMs);
  }

  add(stream: EventStream, credential: HeldCredential): void {
    const { name, ids, askedAtMs } = credential;
    const held = this.#held.get(name) ?? newHeld(credential);
    this.#held.set(name, held);
    held.streams.add(stream);
    held.confirmedAtMs = Math.max(held.confirmedAtMs, askedAtMs);
    for (const id of ids) this.#byId.set(id, (this.#byId.get(id) ?? new Set()).add(stream));
  }

  remove(stream: EventStream, { name, ids }: HeldCredential): void {
    const held = this.#held.get(name);
    held?.streams.delete(stream);
    if (held?.streams.size === 0) this.#held.delete(name);
    for (const id of ids) {
      const streams = this.#byId.get(id);
      streams?.delete(stream);
      if (streams?.size === 0) this.#byId.delete(id);
    }
  }

  /** Ends the streams that depend on this credential, now and if their requests were admitted just before. */
  revoke(id: string): void {
    this.#revoked.add(id, this.#clock.monotonicMs());
    end(this.#byId.get(id));
  }

  /** Ends the streams whose credential has expired, and checks the credentials whose last confirmation is too old. */
  tick(): void {
    const nowMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.now();
    for (const held of this.#held.values()) {
      const { credential, streams, confirmedAtMs, notBeforeMs, isChecking } = held;
      const isDue = nowMs >= confirmedAtMs + this.#recheckMs && nowMs >= notBeforeMs;
      if (credential.expiresAtMs <= wallMs) end(streams);
      else if (isDue && !isChecking) void this.#check(held, nowMs - this.#recheckMs + 1);
    }
  }

  /** Asks about every credential, whatever was confirmed before. */
  async recheck(): Promise<void> {
    const checks = [...this.#held.values()].map((held) => this.#check(held, Number.POSITIVE_INFINITY));
    await Promise.all(checks);
  }

  async #check(held: Held, sinceMs: number): Promise<void> {
    held.isChecking = true;
    try {
      await this.#checks.run(held.credential.projectId, () => this.#confirm(held, sinceMs));
    } catch {
      // Without a response, nothing is known to be invalid. The next tick repeats it.
      held.notBeforeMs = this.#clock.monotonicMs() + retryMs;
    } finally {
      held.isChecking = false;
    }
  }

  async #confirm(held: Held, sinceMs: number): Promise<void> {
    if (held.streams.size === 0) return;
    const confirmedAtMs = await held.credential.confirm(sinceMs);
    if (confirmedAtMs === undefined) end(held.streams);
    else held.confirmedAtMs = Math.max(held.confirmedAtMs, confirmedAtMs);
  }
}

function newHeld(credential: HeldCredential): Held {
  return {
    credential,
    streams: new Set(),
    confirmedAtMs: credential.askedAtMs,
    notBeforeMs: Number.NEGATIVE_INFINITY,
    isChecking: false,
  };
}

function end(streams: Iterable<EventStream> = []): void {
  for (const stream of [...streams]) stream.endUnauthenticated();
}

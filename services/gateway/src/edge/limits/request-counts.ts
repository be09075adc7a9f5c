import type { Clock, Logger } from "@muster/service";
import type { LRUCache } from "lru-cache";
import { lruCache } from "./lru-cache.ts";

/** Adds to the counters that all gateways share. The totals are in the order of the counts. */
export type ShareCounts = (
  counts: ReadonlyArray<{ bucket: string; added: number }>,
) => Promise<{ totals: readonly number[]; remainingMs: number }>;

export interface RequestCountsOptions {
  clock: Clock;
  log: Logger;
  /** Absent: this is the only gateway, so its own counts are the truth. */
  share?: ShareCounts;
  /** Buckets beyond this are forgotten, the least recent one first. A shared one is learned again. */
  maxBuckets?: number;
}

/** The verdict of a limit on a request. */
export interface Verdict {
  isAllowed: boolean;
  limit: number;
  remaining: number;
  /** The time until the count begins again. */
  resetMs: number;
}

const windowMs = 60_000;
/** How long a count may wait before the other gateways learn of it. */
const flushMs = 200;
/** The pause after a failure, without further questions. */
const pauseMs = 1_000;
const maxCountsPerCall = 1_000;

/** The requests of one bucket in the current window. */
interface Bucket {
  /** The count of all gateways, as the store last said. */
  confirmed: number;
  /** On their way to the store. */
  sent: number;
  /** The count of this gateway since then. */
  pending: number;
  endsMs: number;
}

/**
 * Counts requests per minute and bucket. A request is decided by the last known total of all gateways plus what this
 * one has admitted since, which is at most a twentieth of the limit, and at least 1: beyond it, requests wait for the
 * store. So all gateways together admit at most the limit plus that share for each of them. While the store cannot be
 * asked, no request waits and each gateway counts for itself.
 */
export class RequestCounts {
  readonly #options: RequestCountsOptions;
  readonly #buckets: LRUCache<string, Bucket>;
  #sharing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failedMs = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #changed = new Map<string, Bucket>();

  constructor(options: RequestCountsOptions) {
    this.#options = options;
    this.#buckets = lruCache(options.maxBuckets ?? 10_000);
  }

  /** Counts a request if the limit allows it. Only a request that must wait for the store gets a promise. */
  take(name: string, limit: number): Verdict | Promise<Verdict> {
    const bucket = this.#bucketOf(name);
    const credit = Math.max(1, Math.floor(limit / 20));
    return this.#mustWait(bucket, limit, credit)
      ? this.#takeLater(name, limit, credit)
      : this.#decide(name, limit, credit);
  }

  /** Counts something that was not asked for before. */
  add(name: string): void {
    this.#count(name, this.#bucketOf(name), 1);
  }

  /** The requests of the bucket in this window, as far as they are known. */
  used(name: string): { count: number; resetMs: number } {
    const bucket = this.#buckets.get(name);
    const resetMs = (bucket?.endsMs ?? 0) - this.#options.clock.monotonicMs();
    return bucket === undefined || resetMs <= 0
      ? { count: 0, resetMs: windowMs }
      : { count: usedOf(bucket), resetMs };
  }

  /** Sends the remaining counts. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sharing;
    if (this.#changed.size > 0 && this.#canShare()) await this.#share();
  }

  #mustWait(bucket: Bucket, limit: number, credit: number): boolean {
    return unconfirmed(bucket) >= credit && usedOf(bucket) < limit && this.#canShare();
  }

  /** Others that have waited as well may use up the credit first, and the call on its way may be without this bucket. */
  async #takeLater(name: string, limit: number, credit: number): Promise<Verdict> {
    while (this.#mustWait(this.#bucketOf(name), limit, credit)) await this.#share();
    return this.#decide(name, limit, credit);
  }

  #decide(name: string, limit: number, credit: number): Verdict {
    const bucket = this.#bucketOf(name);
    const used = usedOf(bucket);
    const resetMs = Math.max(1, bucket.endsMs - this.#options.clock.monotonicMs());
    if (used >= limit) return { isAllowed: false, limit, remaining: 0, resetMs };
    this.#count(name, bucket, Math.ceil(credit / 2));
    return { isAllowed: true, limit, remaining: limit - used - 1, resetMs };
  }

  #bucketOf(name: string): Bucket {
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#buckets.get(name);
    if (known !== undefined && known.endsMs > nowMs) return known;
    // A new object, so that a response about the previous window changes nothing.
    const endsMs = nowMs + this.#newWindowMs(this.#options.clock.now());
    const bucket = { confirmed: 0, sent: 0, pending: 0, endsMs };
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** Shared counters begin again with each minute of the clock. */
  #newWindowMs(wallMs: number): number {
    return this.#options.share === undefined ? windowMs : windowMs - (wallMs % windowMs);
  }

  /** Shares at once if `atPending` requests wait for it. */
  #count(name: string, bucket: Bucket, atPending: number): void {
    if (this.#options.share === undefined) {
      bucket.confirmed++;
      return;
    }
    bucket.pending++;
    this.#changed.set(name, bucket);
    if (this.#changed.size > maxCountsPerCall * 10) this.#keepToItself();
    if (bucket.pending >= atPending && this.#sharing === undefined && this.#canShare()) void this.#share();
    else this.#plan();
  }

  /** The bucket that waits longest is counted here only. No request may wait for a call that will not contain it. */
  #keepToItself(): void {
    const [first] = this.#changed;
    if (first === undefined) return;
    const [name, bucket] = first;
    this.#changed.delete(name);
    bucket.confirmed += bucket.pending;
    bucket.pending = 0;
  }

  #plan(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#canShare()) void this.#share();
      else this.#plan();
    }, flushMs).unref();
  }

  #canShare(): boolean {
    return this.#options.share !== undefined && this.#options.clock.monotonicMs() - this.#failedMs >= pauseMs;
  }

  /** One call at a time: requests counted meanwhile go with the next one. Never rejects. */
  #share(): Promise<void> {
    this.#sharing ??= this.#send().finally(() => {
      this.#sharing = undefined;
      if (this.#changed.size > 0) this.#plan();
    });
    return this.#sharing;
  }

  async #send(): Promise<void> {
    const { share, log, clock } = this.#options;
    if (share === undefined) return;
    const batch = [...this.#changed].slice(0, maxCountsPerCall);
    const counts = batch.map(([bucket, { pending: added }]) => ({ bucket, added }));
    for (const [name, bucket] of batch) {
      this.#changed.delete(name);
      bucket.sent = bucket.pending;
      bucket.pending = 0;
    }
    if (counts.length === 0) return;
    try {
      const { totals, remainingMs } = await share(counts);
      for (const [index, [, bucket]] of batch.entries())
        confirm(bucket, totals[index], clock.monotonicMs() + remainingMs);
      if (this.#isFailing) log.info("requests are counted together with other gateways again");
      this.#isFailing = false;
    } catch (error) {
      for (const [, bucket] of batch) confirm(bucket, bucket.confirmed + bucket.sent, bucket.endsMs);
      this.#failedMs = clock.monotonicMs();
      if (!this.#isFailing) {
        log.warn(
          { err: error },
          "requests cannot be counted together with other gateways; each counts for itself",
        );
      }
      this.#isFailing = true;
    }
  }
}

function usedOf({ confirmed, sent, pending }: Bucket): number {
  return confirmed + sent + pending;
}

function unconfirmed({ sent, pending }: Bucket): number {
  return sent + pending;
}

function confirm(bucket: Bucket, total: number | undefined, endsMs: number): void {
  bucket.confirmed = total ?? bucket.confirmed + bucket.sent;
  bucket.sent = 0;
  bucket.endsMs = endsMs;
}

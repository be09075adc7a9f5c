import type { Clock, Logger } from "@muster/service";
import type { FastifyReply } from "fastify";
import { HttpProblem } from "../errors/http-problem.ts";
import { lruCache } from "./lru-cache.ts";
import type { RequestCounts, Verdict } from "./request-counts.ts";

/** Requests per minute; 0 for no limit. */
export interface RateLimits {
  perAddress: number;
  perCredential: number;
  perProject: number;
}

const whose = { address: "This address", credential: "This key or token", project: "This project" };

/** Limits the requests of one address, of one key or token, or in one project; 0 means no limit. Throws RATE_LIMITED. */
export async function limit(
  counts: RequestCounts,
  reply: FastifyReply,
  kind: keyof typeof whose,
  id: string,
  perMinute: number,
): Promise<void> {
  if (perMinute === 0) return;
  const taken = counts.take(`${kind}:${id}`, perMinute);
  const verdict = taken instanceof Promise ? await taken : taken;
  describe(reply, verdict);
  if (verdict.isAllowed) return;
  throw new HttpProblem(
    "RATE_LIMITED",
    `${whose[kind]} may send ${perMinute} requests a minute. Wait for Retry-After and send fewer.`,
    { retryAfterMs: verdict.resetMs, refusedBy: "rate_limit" },
  );
}

/**
 * The headers describe the one of several limits that leaves the fewest requests. Raw, because streams bypass Fastify.
 */
function describe({ raw }: FastifyReply, { limit, remaining, resetMs }: Verdict): void {
  const known = raw.getHeader("ratelimit-remaining");
  if (typeof known === "number" && known <= remaining) return;
  raw.setHeader("ratelimit-limit", limit);
  raw.setHeader("ratelimit-remaining", remaining);
  raw.setHeader("ratelimit-reset", Math.ceil(resetMs / 1_000));
}

/** The stored limit of a project, in requests per minute; undefined if it has none of its own. */
type ReadProjectLimit = (projectId: string) => Promise<number | undefined>;

interface Known {
  perMinute: number | undefined;
  readMs: number;
}

const maxProjects = 10_000;

/**
 * The limits that are stored for projects, read again every few seconds. While they cannot be read, those that were read
 * last apply, so that an outage of the auth service refuses no request.
 */
export class ProjectLimits {
  readonly #read: ReadProjectLimit;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #cacheMs: number;
  readonly #known = lruCache<Known>(maxProjects);
  readonly #reading = new Map<string, Promise<number | undefined>>();

  constructor(options: { read: ReadProjectLimit; clock: Clock; log: Logger; cacheMs: number }) {
    this.#read = options.read;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#cacheMs = options.cacheMs;
  }

  /** Only a request that must wait for the auth service gets a promise, which never rejects. */
  of(projectId: string): number | undefined | Promise<number | undefined> {
    const known = this.#known.get(projectId);
    if (known !== undefined && this.#clock.monotonicMs() - known.readMs < this.#cacheMs)
      return known.perMinute;
    const reading = this.#reading.get(projectId) ?? this.#refresh(projectId, known?.perMinute);
    this.#reading.set(projectId, reading);
    return reading;
  }

  async #refresh(projectId: string, before: number | undefined): Promise<number | undefined> {
    const readMs = this.#clock.monotonicMs();
    let perMinute = before;
    try {
      perMinute = await this.#read(projectId);
    } catch (error) {
      this.#log.warn(
        { err: error, projectId },
        "could not read the limits of a project; the last ones apply",
      );
    } finally {
      this.#reading.delete(projectId);
    }
    this.#known.set(projectId, { perMinute, readMs });
    return perMinute;
  }
}

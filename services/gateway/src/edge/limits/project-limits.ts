import type { Clock, Logger } from "@muster/service";
import { LRUCache } from "lru-cache";

/** The stored limit of a project, in requests per minute; undefined if it has none of its own. */
export type ReadProjectLimit = (projectId: string) => Promise<number | undefined>;

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
  readonly #known = new LRUCache<string, Known>({ max: maxProjects });
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

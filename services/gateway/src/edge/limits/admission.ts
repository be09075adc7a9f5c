import { FairBudget } from "@muster/service";
import type { FastifyReply, FastifyRequest } from "fastify";
import { HttpProblem, type Refusal } from "../errors/http-problem.ts";
import type { App } from "../http/app.ts";
import type { MemoryOwner } from "./byte-budget.ts";

/** The weight of the latest duration in the average. */
const smoothing = 0.1;
const maxRetryAfterMs = 30_000;

/**
 * Bounds how many requests are in progress, so that a burst beyond it is refused at once instead of slowing down every
 * request; so are requests while the event loop is late. A stream counts until its first event: it then waits for a
 * model, and occupies no connection to the store. One project leaves room for others, and so does one principal in its
 * project, once it is known whose a request is.
 */
export class Admission {
  readonly #max: number;
  readonly #ofProjects: FairBudget;
  readonly #ofPrincipals: FairBudget;
  readonly #isOverloaded: () => boolean;
  readonly #now: () => number;
  #inProgress = 0;
  #averageMs = 0;

  /** `isOverloaded`: nothing more can be taken at the moment. `now`: a monotonic time in milliseconds. */
  constructor(
    max: number,
    isOverloaded: () => boolean = () => false,
    now: () => number = () => performance.now(),
  ) {
    this.#max = max;
    this.#ofProjects = new FairBudget(max);
    this.#ofPrincipals = new FairBudget(max, 2);
    this.#isOverloaded = isOverloaded;
    this.#now = now;
  }

  /** Throws UNAVAILABLE. */
  enter(): Progress {
    if (this.#inProgress >= this.#max) throw this.#busy("overload");
    if (this.#isOverloaded()) throw this.#busy("event_loop");
    this.#inProgress++;
    const startMs = this.#now();
    let isOver = false;
    let leave: (() => void) | undefined;
    return {
      belongTo: (owner) => {
        if (isOver || leave !== undefined) return;
        leave = this.#share(owner);
        if (leave === undefined) throw this.#busy("overload");
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        this.#inProgress--;
        leave?.();
        this.#averageMs += (this.#now() - startMs - this.#averageMs) * smoothing;
      },
    };
  }

  /** Counts a request in its owner's shares, until the result is called. Undefined: the owner must not have more. */
  #share({ projectId, principal }: MemoryOwner): (() => void) | undefined {
    const name = `${projectId} ${principal}`;
    if (!this.#ofProjects.take(projectId, 1)) return undefined;
    if (!this.#ofPrincipals.take(name, 1)) {
      this.#ofProjects.give(projectId, 1);
      return undefined;
    }
    return () => {
      this.#ofProjects.give(projectId, 1);
      this.#ofPrincipals.give(name, 1);
    };
  }

  /** By the time that requests take at present, those in progress now will have ended. */
  #busy(refusedBy: Refusal): HttpProblem {
    return new HttpProblem(
      "UNAVAILABLE",
      "The server is busy with other requests. Wait for Retry-After and try again.",
      { retryAfterMs: Math.min(this.#averageMs, maxRetryAfterMs), refusedBy },
    );
  }
}

/** A request that has been admitted. */
interface Progress {
  /** Counts it in its owner's shares. Throws UNAVAILABLE, if the project or the principal has more in progress than it may. */
  belongTo(owner: MemoryOwner): void;
  /** Calling it again does nothing. */
  end(): void;
}

/**
 * Applies the bound to every route that needs a key, before anything else is done for the request, and to those that ask
 * for it. Without a key, a request counts only once its body has arrived: any client could take all places by sending slowly.
 */
export function limitRequests(
  app: App,
  admission: Admission,
  needsKey: (request: FastifyRequest) => boolean,
): void {
  app.decorateRequest("progress", undefined);
  const enter = (request: FastifyRequest, reply: FastifyReply) => {
    request.progress = admission.enter();
    reply.raw.once("close", request.progress.end);
  };
  app.addHook("onRequest", async (request, reply) => {
    if (needsKey(request)) enter(request, reply);
  });
  app.addHook("preValidation", async (request, reply) => {
    if (!needsKey(request) && request.routeOptions.config.isCounted) enter(request, reply);
  });
}

/** The request's stream has begun. */
export function endProgress(request: FastifyRequest): void {
  request.progress?.end();
}

/** How often the delay is measured. */
const everyMs = 100;
/**
 * So many late measurements in a row are an overload: a pause, such as a garbage collection, has ended when it is seen.
 */
const lateOnes = 3;

/**
 * Watches how late the event loop is. It counts as overloaded once three measurements in a row exceed the bound, until the
 * first one within it.
 */
export class LoopDelay {
  readonly #maxMs: number;
  readonly #now: () => number;
  #expectedMs = 0;
  #lateInARow = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `maxMs`: 0 for no bound. `now`: a monotonic time in milliseconds. */
  constructor(maxMs: number, now: () => number = () => performance.now()) {
    this.#maxMs = maxMs;
    this.#now = now;
  }

  get isOverloaded(): boolean {
    return this.#lateInARow >= lateOnes;
  }

  start(): void {
    if (this.#maxMs === 0) return;
    this.#expectedMs = this.#now() + everyMs;
    this.#timer = setInterval(() => this.measure(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Called every 100 ms, or later if the loop is busy. */
  measure(): void {
    const nowMs = this.#now();
    this.#lateInARow = nowMs - this.#expectedMs > this.#maxMs ? this.#lateInARow + 1 : 0;
    this.#expectedMs = nowMs + everyMs;
  }
}

declare module "fastify" {
  interface FastifyRequest {
    progress: Progress | undefined;
  }
  interface FastifyContextConfig {
    /** The requests count as in progress although they need no key. */
    isCounted?: boolean;
  }
}

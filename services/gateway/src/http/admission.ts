import type { FastifyRequest } from "fastify";
import { isOpen, rowOf } from "../auth/access-table.ts";
import { HttpProblem, type Refusal } from "../errors/http-problem.ts";
import type { App } from "../routes/app.ts";

/** The weight of the latest duration in the average. */
const smoothing = 0.1;
const maxRetryAfterMs = 30_000;

/**
 * Bounds how many requests are in progress, so that a burst beyond it is refused at once instead of slowing down every
 * request; so are requests while the event loop is late. A stream counts until its first event: it then waits for a model, and holds no connection to the store.
 */
export class Admission {
  readonly #max: number;
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
    this.#isOverloaded = isOverloaded;
    this.#now = now;
  }

  /** Returns the function that ends the request's progress; calling it again does nothing. Throws UNAVAILABLE. */
  enter(): () => void {
    if (this.#inProgress >= this.#max) throw this.#busy("overload");
    if (this.#isOverloaded()) throw this.#busy("event_loop");
    this.#inProgress++;
    const startMs = this.#now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#inProgress--;
      this.#averageMs += (this.#now() - startMs - this.#averageMs) * smoothing;
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

/** Applies the bound to every route that needs a key, and to those that ask for it, before anything else is done for the request. */
export function limitRequests(app: App, admission: Admission): void {
  app.decorateRequest("endProgress", undefined);
  app.addHook("onRequest", async (request, reply) => {
    if (isOpen(rowOf(request)) && !request.routeOptions.config.isCounted) return;
    request.endProgress = admission.enter();
    reply.raw.once("close", request.endProgress);
  });
}

/** The request's stream has begun. */
export function endProgress(request: FastifyRequest): void {
  request.endProgress?.();
}

declare module "fastify" {
  interface FastifyRequest {
    endProgress: (() => void) | undefined;
  }
  interface FastifyContextConfig {
    /** The requests count as in progress although they need no key. */
    isCounted?: boolean;
  }
}

import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../errors/http-problem.ts";
import type { App } from "../routes/app.ts";

/** Smaller bodies are not counted: `MAX_REQUESTS_IN_PROGRESS` bounds what they need together. */
const countedFromBytes = 128 * 1024;

export const maxArrivingBytes = 256 * 1024 * 1024;

/**
 * Bounds the memory of all large bodies that are arriving: each is kept until it is complete, which a slow client can
 * put off for two minutes.
 */
export class ArrivingBodies {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number = maxArrivingBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the function that ends the reservation; calling it again does nothing. Throws UNAVAILABLE. */
  reserve(bytes: number): () => void {
    if (this.#bytes + bytes > this.#maxBytes) {
      throw new HttpProblem(
        "UNAVAILABLE",
        "The server is receiving other large requests. Wait for Retry-After and try again.",
        { retryAfterMs: 1_000 },
      );
    }
    this.#bytes += bytes;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#bytes -= bytes;
    };
  }
}

/** Applies the bound to every route, from the moment when its body is read. */
export function limitArrivingBodies(app: App, bodies: ArrivingBodies): void {
  app.decorateRequest("endArrival", undefined);
  app.addHook("preParsing", async (request, reply) => {
    const bytes = expectedBytes(request);
    if (bytes < countedFromBytes) return;
    request.endArrival = bodies.reserve(bytes);
    reply.raw.once("close", request.endArrival);
  });
  app.addHook("preValidation", async (request) => request.endArrival?.());
}

/** A body without a stated length may be as long as the route allows; a longer one is refused at once. */
function expectedBytes({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  const stated = headers["content-length"];
  if (stated !== undefined) return Number(stated) > bodyLimit ? 0 : Number(stated);
  return headers["transfer-encoding"] === undefined ? 0 : bodyLimit;
}

declare module "fastify" {
  interface FastifyRequest {
    endArrival: (() => void) | undefined;
  }
}

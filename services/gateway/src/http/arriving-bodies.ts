import { Transform } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { HttpProblem } from "../errors/http-problem.ts";
import type { App } from "../routes/app.ts";

/** Smaller bodies are not counted: `MAX_REQUESTS_IN_PROGRESS` bounds what they need together. */
const countedFromBytes = 128 * 1024;

export const maxArrivingBytes = 256 * 1024 * 1024;

/**
 * Bounds the memory of all large bodies that are arriving: each is kept until it is complete, which a slow client can
 * put off for two minutes. One project may take half of it, so that it cannot shut out the others.
 */
export class ArrivingBodies {
  readonly #maxBytes: number;
  readonly #byProject = new Map<string, number>();
  #bytes = 0;

  constructor(maxBytes: number = maxArrivingBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the function that ends the reservation; calling it again does nothing. Throws UNAVAILABLE. */
  reserve(bytes: number, projectId: string): () => void {
    const ofProject = this.#byProject.get(projectId) ?? 0;
    if (ofProject + bytes > this.#maxBytes / 2) throw noRoom("The project is sending");
    if (this.#bytes + bytes > this.#maxBytes) throw noRoom("The server is receiving");
    this.#add(bytes, projectId);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#add(-bytes, projectId);
    };
  }

  #add(bytes: number, projectId: string): void {
    this.#bytes += bytes;
    const ofProject = (this.#byProject.get(projectId) ?? 0) + bytes;
    if (ofProject === 0) this.#byProject.delete(projectId);
    else this.#byProject.set(projectId, ofProject);
  }
}

function noRoom(who: string): HttpProblem {
  return new HttpProblem("UNAVAILABLE", `${who} other large requests. Wait for Retry-After and try again.`, {
    retryAfterMs: 1_000,
  });
}

/** Applies the bound to every route, from the moment when its body is read. */
export function limitArrivingBodies(app: App, bodies: ArrivingBodies): void {
  app.decorateRequest("endArrival", undefined);
  const reserve = (request: FastifyRequest, { raw }: FastifyReply, bytes: number) => {
    // After a client has left, nothing would end the reservation.
    if (raw.closed) return;
    request.endArrival = bodies.reserve(bytes, request.caller?.principal.projectId ?? "");
    raw.once("close", request.endArrival);
  };
  app.addHook("preParsing", async (request, reply, payload) => {
    const { headers, routeOptions } = request;
    const { "content-length": stated, "transfer-encoding": encoding } = headers;
    if (stated === undefined && encoding !== undefined) {
      const watch = new LengthWatch(() => reserve(request, reply, routeOptions.bodyLimit));
      // The rest of a refused body is dropped: while it waits to be read, its client does not read the response.
      watch.once("error", () => payload.resume());
      return payload.pipe(watch);
    }
    const bytes = Number(stated ?? 0);
    // A body that the route does not allow is refused at once.
    if (bytes >= countedFromBytes && bytes <= routeOptions.bodyLimit) reserve(request, reply, bytes);
    return undefined;
  });
  app.addHook("preValidation", async (request) => request.endArrival?.());
}

/** Passes a body of unknown length on. Once it is large, it may become as long as its route allows. */
class LengthWatch extends Transform {
  readonly #whenLarge: () => void;
  #bytes = 0;

  /** `whenLarge`: called once. If it throws, the body ends with this error. */
  constructor(whenLarge: () => void) {
    super();
    this.#whenLarge = whenLarge;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void) {
    const before = this.#bytes;
    this.#bytes += chunk.length;
    try {
      if (before < countedFromBytes && this.#bytes >= countedFromBytes) this.#whenLarge();
    } catch (error) {
      done(error instanceof Error ? error : new Error("The body cannot be read", { cause: error }));
      return;
    }
    done(null, chunk);
  }
}

declare module "fastify" {
  interface FastifyRequest {
    endArrival: (() => void) | undefined;
  }
}

import { Transform } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../routes/app.ts";
import { ByteBudget } from "./byte-budget.ts";

/** Smaller bodies are not counted: `MAX_REQUESTS_IN_PROGRESS` bounds what they need together. */
const countedFromBytes = 128 * 1024;

const mib = 1024 * 1024;

export interface LargeBodies {
  /** Each is kept until it is complete, which a slow client can put off for two minutes. */
  arriving: ByteBudget;
  /** The input of a turn is kept several times for as long as the turn runs. */
  inUse: ByteBudget;
}

export function newLargeBodies(): LargeBodies {
  return {
    arriving: new ByteBudget(256 * mib, "Other large requests are arriving."),
    inUse: new ByteBudget(512 * mib, "Other large requests are in progress."),
  };
}

/** Bounds the memory of all large bodies together, on every route: while they arrive, then until their response has ended. */
export function limitLargeBodies(app: App, { arriving, inUse }: LargeBodies): void {
  app.decorateRequest("endArrival", undefined);
  app.decorateRequest("bodyBytes", 0);
  app.addHook("preParsing", async (request, reply, payload) => {
    const { headers, routeOptions } = request;
    const { "content-length": stated, "transfer-encoding": encoding } = headers;
    if (stated === undefined && encoding !== undefined) {
      const watch = new LengthWatch(request, () => {
        request.endArrival = reserve(arriving, request, reply, routeOptions.bodyLimit);
      });
      // The rest of a refused body is dropped: while it waits to be read, its client does not read the response.
      watch.once("error", () => payload.resume());
      return payload.pipe(watch);
    }
    request.bodyBytes = Number(stated ?? 0);
    // A body that the route does not allow is refused at once.
    if (request.bodyBytes < countedFromBytes || request.bodyBytes > routeOptions.bodyLimit) return undefined;
    request.endArrival = reserve(arriving, request, reply, request.bodyBytes);
    return undefined;
  });
  app.addHook("preValidation", async (request, reply) => {
    request.endArrival?.();
    if (request.bodyBytes >= countedFromBytes) reserve(inUse, request, reply, request.bodyBytes);
  });
}

/** Until the response has ended, or until the function that it returns is called. */
function reserve(budget: ByteBudget, { caller }: FastifyRequest, { raw }: FastifyReply, bytes: number) {
  // After a client has left, nothing would end the reservation.
  if (raw.closed) return undefined;
  const end = budget.reserve(bytes, caller?.principal.projectId ?? "");
  raw.once("close", end);
  return end;
}

/** Passes a body of unknown length on. Once it is large, it may become as long as its route allows. */
class LengthWatch extends Transform {
  readonly #request: Pick<FastifyRequest, "bodyBytes">;
  readonly #whenLarge: () => void;

  /** Counts in `request`. `whenLarge`: called once. If it throws, the body ends with this error. */
  constructor(request: Pick<FastifyRequest, "bodyBytes">, whenLarge: () => void) {
    super();
    this.#request = request;
    this.#whenLarge = whenLarge;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void) {
    const before = this.#request.bodyBytes;
    this.#request.bodyBytes += chunk.length;
    try {
      if (before < countedFromBytes && this.#request.bodyBytes >= countedFromBytes) this.#whenLarge();
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
    /** The length of the body, as far as it has arrived or is announced. */
    bodyBytes: number;
  }
}

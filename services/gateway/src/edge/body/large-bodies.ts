import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../http/app.ts";
import { ByteBudget, everyone, type Reservation } from "../limits/byte-budget.ts";

/** The memory that a turn keeps of smaller bodies is not counted: `MAX_REQUESTS_IN_PROGRESS` bounds it. */
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

/**
 * Bounds the memory of all bodies together, on every route: while they arrive, then, if they are large, until their response has
 * ended.
 */
export function limitLargeBodies(app: App, { arriving, inUse }: LargeBodies): void {
  app.decorateRequest("arrival", undefined);
  app.decorateRequest("bodyBytes", 0);
  app.addHook("preParsing", async (request, reply) => {
    const { headers, raw, routeOptions } = request;
    const { "content-length": stated, "transfer-encoding": encoding } = headers;
    if (stated === undefined && encoding === undefined) return;
    request.bodyBytes = Number(stated ?? 0);
    // Nearly all bodies are small and arrive with their headers. One that the route does not allow is refused at once.
    if (raw.complete || request.bodyBytes > routeOptions.bodyLimit) return;
    request.arrival = reserve(arriving, request, reply, request.bodyBytes);
  });
  app.addHook("preValidation", async (request, reply) => {
    request.arrival?.end();
    if (request.bodyBytes >= countedFromBytes) reserve(inUse, request, reply, request.bodyBytes);
  });
}

/** Until the response has ended, or until it is ended. */
function reserve(budget: ByteBudget, request: FastifyRequest, { raw }: FastifyReply, bytes: number) {
  // After a client has left, nothing would end the reservation.
  if (raw.closed) return undefined;
  const reservation = budget.reserve(bytes, request.owner ?? everyone);
  raw.once("close", reservation.end);
  return reservation;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The memory of a body that was not complete when it was to be read. */
    arrival: Reservation | undefined;
    /** The length of the body, as far as it has arrived or is announced. */
    bodyBytes: number;
  }
}

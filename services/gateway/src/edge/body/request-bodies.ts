import { availableParallelism } from "node:os";
import { createThreadPool, GrowingBuffer, isLarge, parseInSlices, type ThreadPool } from "@muster/large-data";
import { FairQueue, QueueFullError } from "@muster/service";
import { shipped } from "@muster/service/shipped";
import { errorCodes, type FastifyReply, type FastifyRequest } from "fastify";
import { HttpProblem } from "../errors/http-problem.ts";
import type { App } from "../http/app.ts";
import { TickQueue } from "../http/spread-requests.ts";
import { ByteBudget, everyone, type MemoryOwner, type Reservation } from "../limits/byte-budget.ts";
import type * as tasks from "./body-thread.ts";
import type { Read } from "./body-thread.ts";
import { parseJsonBody } from "./parse-json-body.ts";
import { putBack, type RelayPlan } from "./relayed-json.ts";

/** One parser for all bodies, instead of the built-in ones. Other content types are 415. */
export function useJsonBodiesOnly(
  app: Pick<App, "removeAllContentTypeParsers" | "addContentTypeParser" | "addHook">,
) {
  const bodies = createBodyReader();
  app.addHook("onClose", () => bodies.close());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (request: FastifyRequest) => {
    assertUtf8(request.headers["content-type"]);
    const body = await collectBody(request);
    // Another thread may take the memory of the original.
    if (request.routeOptions.config.keepsBytes) request.bytes = Uint8Array.from(body);
    return bodies.read(body, request.routeOptions.config.relays, request.owner ?? everyone);
  });
}

/** The body as it arrives, of any type: `request.bytes`. For a scope without other routes. */
export function usePlainBodies(scope: Pick<App, "removeAllContentTypeParsers" | "addContentTypeParser">) {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", async (request: FastifyRequest) => {
    request.bytes = Uint8Array.from(await collectBody(request));
  });
}

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

function assertUtf8(contentType: string | undefined): void {
  const name = charset.exec(contentType ?? "")?.[1];
  if (name === undefined || name.toLowerCase() === "utf-8" || name.toLowerCase() === "utf8") return;
  throw new HttpProblem("UNSUPPORTED_CONTENT_TYPE", "Send the body as UTF-8.");
}

/** Throws 415 for a compressed body, which would otherwise be parsed as plain text. */
export function assertPlainEncoding(request: FastifyRequest): void {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding.toLowerCase() === "identity") return;
  throw new HttpProblem("UNSUPPORTED_CONTENT_TYPE", "Send the body without Content-Encoding.");
}

/**
 * The whole body. Counts its bytes as they arrive. Throws FST_ERR_CTP_BODY_TOO_LARGE, INVALID_REQUEST if its client
 * leaves, and UNAVAILABLE.
 */
function collectBody(request: FastifyRequest): Promise<Buffer> {
  const { raw, arrival, bodyBytes } = request;
  const { bodyLimit } = request.routeOptions;
  // So that it takes no more than was reserved for an announced length.
  const body = new GrowingBuffer(bodyBytes || bodyLimit);
  return new Promise((resolve, reject) => {
    if (bodyBytes > bodyLimit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
    const add = (piece: Buffer) => {
      try {
        if (body.length + piece.length > bodyLimit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
        body.add(piece);
        arrival?.growTo(body.capacity);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const end = () => {
      request.bodyBytes = body.length;
      settle(() => resolve(body.take()));
    };
    const fail = () => settle(() => reject(new HttpProblem("INVALID_REQUEST", "The body ended early.")));
    // The rest of a refused body is dropped: while it waits to be read, its client does not read the response.
    const settle = (outcome: () => void) => {
      raw.off("data", add).off("end", end).off("error", fail).off("close", fail);
      outcome();
    };
    raw.on("data", add).on("end", end).on("error", fail).on("close", fail);
  });
}

/** The memory that a turn keeps of smaller bodies is not counted: `MAX_REQUESTS_IN_PROGRESS` bounds it. */
const countedFromBytes = 128 * 1024;

const mib = 1024 * 1024;

interface LargeBodies {
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

/** At up to 10 MiB each. Projects take turns. */
const waiting = { waiting: 64, waitingPerOwner: 32 };

/**
 * Reads request bodies, so that they do not block the main loop: small ones are parsed on it as long as a tick has time
 * for them, large ones by another thread. All are judged by `parseJsonBody`.
 */
interface BodyReader {
  /** `plan`: which values of a large body may stay JSON. Throws HttpProblem. */
  read(bytes: Uint8Array, plan: RelayPlan | undefined, owner: MemoryOwner): unknown;
  close(): Promise<void>;
}

export function createBodyReader(): BodyReader {
  const maxThreads = Math.min(4, Math.max(1, availableParallelism() - 1));
  const threads = createThreadPool<typeof tasks>(shipped("./body-thread.ts", import.meta.url), {
    maxThreads,
    maxWaiting: 0,
  });
  const queue = new FairQueue({ running: maxThreads, ...waiting });
  const ticks = new TickQueue();
  return {
    read: (bytes, plan, { projectId, principal }) =>
      isLarge(bytes)
        ? inTurn(() => queue.run(projectId, () => readLarge(threads, bytes, plan), { member: principal }))
        : ticks.run(projectId, principal, () => parseJsonBody(bytes)),
    close: () => threads.close(),
  };
}

async function readLarge(
  threads: ThreadPool<typeof tasks>,
  bytes: Uint8Array,
  plan: RelayPlan | undefined,
): Promise<unknown> {
  const [own, move] = movable(bytes);
  if (plan === undefined)
    return await parseInSlices(accepted(await threads.run("check", { bytes: own }, move)));
  const slim = accepted(await threads.run("slim", { bytes: own, plan }, move));
  return putBack(slim, (text) => new RelayedJson(text));
}

async function inTurn(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new HttpProblem("UNAVAILABLE", "Too many large requests are being read. Try again.", {
      cause: error,
      refusedBy: "overload",
    });
  }
}

/** A large buffer usually owns its memory, which can then be handed over instead of copied. */
function movable(bytes: Uint8Array): [Uint8Array, ArrayBuffer[]] {
  const { buffer } = bytes;
  const isOwner = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isOwner ? [new Uint8Array(buffer), [buffer]] : [bytes, []];
}

function accepted<T>(read: Read<T>): T {
  if (read.ok) return read.body;
  const { code, message, issues } = read.refusal;
  throw new HttpProblem(code, message, { issues });
}

declare module "fastify" {
  interface FastifyRequest {
    /** The memory of a body that was not complete when it was to be read. */
    arrival: Reservation | undefined;
    /** The length of the body, as far as it has arrived or is announced. */
    bodyBytes: number;
    /** The body as it arrived, if the route keeps it. */
    bytes?: Uint8Array<ArrayBuffer>;
  }

  interface FastifyContextConfig {
    /** The body is signed. */
    keepsBytes?: boolean;
  }
}

/** A value of a body that stays JSON text, because the gateway passes it on without reading it. */
export class RelayedJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of a value of a body, relayed or not. */
export function jsonTextOf(value: unknown): string {
  return value instanceof RelayedJson ? value.text : JSON.stringify(value);
}

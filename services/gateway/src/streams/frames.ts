import type { StreamError } from "@muster/wire/error-codes";
import type { HttpProblem } from "../edge/errors/http-problem.ts";

/** An event of a session's turn or of a thread, as a service sends it. */
export interface RelayedEvent {
  readonly sequence: number;
  readonly type: string;
  /** On one line. */
  readonly json: string;
}

/** A comment that clients skip; keeps proxies from closing a silent connection. */
export const heartbeatFrame = ": heartbeat\n\n";

export const sseHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** How a response writes the events of its source. One that remembers something serves one response. */
export interface Encoding {
  /** The events of a batch. */
  frames(events: readonly RelayedEvent[]): string;
  /**
   * Events that the gateway itself adds when a stream fails, without a number: the ends of open parts, and last the `error`.
   */
  added(events: readonly AddedEvent[]): string;
  /** Ends every response. */
  done: string;
  /** Further headers. */
  headers?: Readonly<Record<string, string>>;
}

/** An event that the gateway itself creates. */
export interface AddedEvent {
  type: string;
}

/** The last one that the gateway adds. */
export function isStreamError(event: AddedEvent): event is StreamError {
  return event.type === "error";
}

/** Unchanged events. The JSON is relayed unchanged: the service guarantees one line per event. */
export const plainEncoding: Encoding = {
  frames: (events) => {
    let text = "";
    for (const event of events) text += `data: ${event.json}\n\n`;
    return text;
  },
  added: (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
  done: "data: [DONE]\n\n",
};

/** The same with the numbers by which a reader can continue. */
export const numberedEncoding: Encoding = {
  ...plainEncoding,
  frames: (events) => {
    let text = "";
    for (const { sequence, json } of events) text += `id: ${sequence}\ndata: ${json}\n\n`;
    return text;
  },
};

/**
 * For one response. Its n-th event usually has the number n, which readers therefore need not be told. Other events carry
 * their number: those after a gap, which a turn has if its process died.
 */
export function createCountedEncoding(): Encoding {
  let count = 0;
  const frames = (events: readonly RelayedEvent[]) => {
    let text = "";
    for (const { sequence, json } of events) {
      count += 1;
      text += sequence === count ? `data: ${json}\n\n` : `id: ${sequence}\ndata: ${json}\n\n`;
    }
    return text;
  };
  return { ...plainEncoding, frames };
}

interface Kind {
  /** The field that matches an end to its start. */
  idField: string;
  endType: string;
  /** Fields of an end that the gateway sends itself. */
  lost?: { error: string };
}

const workerKind: Kind = {
  idField: "workerId",
  endType: "worker-result",
  lost: { error: "The platform failed before the worker finished." },
};

const kinds: Readonly<Record<string, Kind>> = {
  "block-start": { idField: "blockId", endType: "block-end" },
  "text-start": { idField: "id", endType: "text-end" },
  "reasoning-start": { idField: "id", endType: "reasoning-end" },
  "tool-input-start": { idField: "toolCallId", endType: "tool-input-end" },
  "worker-input-start": workerKind,
  "worker-start": workerKind,
};

/** Fields that an end repeats from its start. */
const whereabouts = ["thread", "workerId", "parentWorkerId"];

const kindByEnd = new Map(Object.values(kinds).map((kind) => [kind.endType, kind]));

/**
 * Remembers which parts of a stream are open, so that every start gets its end even if the service behind it fails.
 * Deltas, nearly all events, cost one comparison; only starts and ends are parsed.
 */
export class OpenParts {
  readonly #open = new Map<string, { type: string; [field: string]: string }>();

  observe({ type, json }: RelayedEvent): void {
    if (type.endsWith("-delta")) return;
    const started = kinds[type];
    if (started !== undefined) this.#start(started, json);
    else this.#end(type, json);
  }

  /** The missing ends, innermost first. `interrupted` distinguishes them from events of the turn. */
  ends(): AddedEvent[] {
    const ends = [...this.#open.values()].reverse();
    this.#open.clear();
    return ends.map((end) => ({ ...end, interrupted: true }));
  }

  #start({ idField, endType, lost }: Kind, json: string): void {
    const { [idField]: id, ...where } = readFields(json, [idField, ...whereabouts]);
    if (id !== undefined)
      this.#open.set(`${endType} ${id}`, { type: endType, [idField]: id, ...where, ...lost });
  }

  #end(type: string, json: string): void {
    const kind = kindByEnd.get(type);
    if (kind !== undefined) this.#open.delete(`${type} ${readFields(json, [kind.idField])[kind.idField]}`);
  }
}

/** The fields whose value is a string. */
function readFields(json: string, fields: readonly string[]): { [field: string]: string } {
  const event: unknown = JSON.parse(json);
  if (event === null || typeof event !== "object") return {};
  const found: { [field: string]: string } = {};
  for (const field of fields) {
    const value: unknown = Reflect.get(event, field);
    if (typeof value === "string") found[field] = value;
  }
  return found;
}

type ErrorKind = Pick<StreamError, "errorType" | "source">;

/** Refusals reach a stream only if it had to be opened before them. Everything else is a failure of the platform. */
const kindOfStatus: Readonly<Record<number, ErrorKind>> = {
  400: { errorType: "validation_error", source: "client" },
  401: { errorType: "authentication_error", source: "client" },
  402: { errorType: "quota_exceeded_error", source: "client" },
  403: { errorType: "permission_error", source: "client" },
  404: { errorType: "not_found_error", source: "client" },
  409: { errorType: "validation_error", source: "client" },
  422: { errorType: "validation_error", source: "client" },
  429: { errorType: "rate_limit_error", source: "platform" },
};

/**
 * The `error` event for a failure of the platform itself, of the reader's credential or of the request, not of a model or a
 * tool. `lastSequence`: the number after which the reader can continue.
 */
export function streamErrorOf(problem: HttpProblem, lastSequence?: number): StreamError {
  const { code, message, status, headers } = problem;
  const retryAfter = Number(headers["retry-after"]);
  return {
    type: "error",
    ...(kindOfStatus[status] ?? { errorType: "internal_error", source: "platform" }),
    message,
    retryable: status === 429 || status === 503 || status === 504,
    ...(status === 429 && retryAfter > 0 && { retryAfter }),
    code,
    ...(lastSequence !== undefined && { lastSequence }),
  };
}

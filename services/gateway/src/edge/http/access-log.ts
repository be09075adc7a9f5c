import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { UsedTokens } from "@muster/proto/sessions";
import type { CallPrincipal } from "@muster/rpc";
import type { FastifyRequest } from "fastify";
import type { HttpProblem, Refusal } from "../errors/http-problem.ts";
import type { HttpMetrics } from "./http-metrics.ts";
import { wasCut } from "./slow-readers.ts";

const requests = new WeakMap<object, FastifyRequest>();

/** The bytes of a connection that lines already report: its responses are sent one after another. */
const reportedBytes = new WeakMap<Socket, number>();

/** The request that a response belongs to, if it will have a line. */
export function requestOf(raw: object): FastifyRequest | undefined {
  return requests.get(raw);
}

/**
 * Logs and counts one request when the response has been sent or the connection has closed: Fastify's own hook does not run if the client
 * leaves early. The line contains the route and not the URL, and the key's id and not its secret.
 */
export function logAccess(
  request: FastifyRequest,
  raw: ServerResponse,
  metrics: HttpMetrics | undefined,
): void {
  const startedMs = performance.now();
  metrics?.began();
  const { socket } = request.raw;
  let bytes: number | undefined;
  requests.set(raw, request);
  // When Node's own listener returns, the next response of the connection may have been written.
  raw.prependOnceListener("finish", () => {
    bytes = newBytesOf(socket);
  });
  raw.once("close", () => {
    const { config } = request.routeOptions;
    const { log, caller, client, summary } = request;
    const isCut = wasCut(socket);
    if (isCut) summary?.cut();
    const code = request.refusal?.code ?? request.errorCode;
    const status = statusOf(request, raw);
    const route = request.routeOptions.url ?? request.otherRoute;
    metrics?.ended(request, { route, status, startedMs, isSent: raw.writableFinished });
    const fields = {
      method: request.method,
      route: route ?? null,
      ...(status && { status }),
      durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
      bytes: bytes ?? newBytesOf(socket),
      ...(caller && identityOf(caller.principal)),
      ...(client && { client }),
      ...(code && { code }),
      ...(summary
        ? summary.fields(startedMs, raw.writableFinished)
        : !raw.writableFinished && !request.refusal && { outcome: isCut ? "cut" : "client left" }),
    };
    if (config?.isProbe) log.debug(fields, "request");
    else log.info(fields, "request");
  });
}

function identityOf({ projectId, keyId, tokenId, loginId }: CallPrincipal) {
  return {
    ...{ projectId, keyId },
    ...(tokenId !== undefined && { tokenId }),
    ...(loginId !== undefined && { loginId }),
  };
}

function statusOf({ refusal }: FastifyRequest, raw: ServerResponse): number | undefined {
  return raw.headersSent ? raw.statusCode : refusal?.status;
}

function newBytesOf(socket: Socket): number {
  const before = reportedBytes.get(socket) ?? 0;
  reportedBytes.set(socket, socket.bytesWritten);
  return socket.bytesWritten - before;
}

interface End {
  /** The finish reason of the turn, or `error`. */
  outcome: string;
  errorType?: string;
  code?: string;
}

/** The report of the access line on a stream. A delta costs two comparisons. */
export class StreamSummary {
  #firstDeltaAtMs: number | undefined;
  #tokens: UsedTokens | undefined;
  #end: End | undefined;
  #isCut = false;

  observe({ type, json }: { type: string; json: string }): void {
    if (this.#firstDeltaAtMs === undefined && type.endsWith("-delta")) {
      this.#firstDeltaAtMs = performance.now();
    } else if (type === "finish")
      this.#end = { outcome: textOf(json, "finishReason").finishReason ?? "other" };
    else if (type === "error") this.failed(textOf(json, "errorType", "code"));
  }

  used(tokens: UsedTokens | undefined): void {
    if (tokens !== undefined) this.#tokens = tokens;
  }

  /** The stream ends with an `error` event. */
  failed({ errorType, code }: Pick<End, "errorType" | "code">): void {
    this.#end = { outcome: "error", ...(errorType && { errorType }), ...(code && { code }) };
  }

  /** The gateway closes the connection without sending the rest. */
  cut(): void {
    this.#isCut = true;
  }

  /** When the first text, reasoning or tool input was sent, as `performance.now()`. */
  get firstDeltaAtMs(): number | undefined {
    return this.#firstDeltaAtMs;
  }

  /** `isSent`: whether the last frame was sent. */
  outcome(isSent: boolean): string {
    const lost = this.#isCut ? "cut" : "client left";
    return isSent ? (this.#end?.outcome ?? lost) : lost;
  }

  /** Fields of the access line. `startedMs`: when the request began; `isSent`: whether the last frame was sent. */
  fields(startedMs: number, isSent: boolean): Record<string, string | number> {
    const firstDelta = this.#firstDeltaAtMs;
    return {
      ...this.#end,
      outcome: this.outcome(isSent),
      ...(firstDelta !== undefined && { firstDeltaMs: Math.round((firstDelta - startedMs) * 10) / 10 }),
      ...(this.#tokens && { inputTokens: this.#tokens.input, outputTokens: this.#tokens.output }),
    };
  }
}

/** The fields of an event whose values are strings. */
function textOf<Field extends string>(json: string, ...fields: Field[]): { [field in Field]?: string } {
  const event: unknown = JSON.parse(json);
  const found: { [field in Field]?: string } = {};
  if (typeof event !== "object" || event === null) return found;
  for (const field of fields) {
    const value: unknown = Reflect.get(event, field);
    if (typeof value === "string") found[field] = value;
  }
  return found;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The code of an error response. */
    errorCode: string | undefined;
    /** The address that limits count, if the response refuses it: 401 or 429. */
    client: string | undefined;
    /** The route of the path that has other methods than the request's. */
    otherRoute: string | undefined;
    /** The bound that refused the request. */
    refusedBy: Refusal | undefined;
    /** Why the connection was closed before the whole request had arrived. */
    refusal: HttpProblem | undefined;
    /** Set once the response has become a stream of events. */
    summary: StreamSummary | undefined;
  }
  interface FastifyContextConfig {
    /** Called every few seconds by supervisors: logged only at the level `debug`. */
    isProbe?: boolean;
  }
}

import type { Socket } from "node:net";
import type { Logger, NewId } from "@muster/service";
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../errors/http-problem.ts";
import { requestOf } from "./access-log.ts";
import { clientKey } from "./client-ip.ts";

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

/**
 * Responds to input that is not a valid request, or only its beginning: bytes that are not HTTP, too many headers, a body
 * that is malformed or too slow. A request whose headers have arrived gets the response and has the line in the log;
 * without one, the input gets an id and a line of its own.
 */
export function answerConnectionError(
  error: { code?: string },
  socket: Socket,
  { newId, log }: { newId: NewId; log: Logger },
): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const message = messageOf(socket);
  if (socket.writable && !message?.hasBegun) {
    const problem = problemOf(error.code);
    const request = message?.request;
    const requestId = request?.id ?? newId("req");
    const response = responseFor(problem, requestId);
    socket.write(response);
    if (request) request.refusal = problem;
    else {
      const { status, code } = problem;
      const client = clientKey(undefined, socket.remoteAddress);
      log.info(
        { requestId, route: null, status, bytes: Buffer.byteLength(response), client, code },
        "request",
      );
    }
  }
  socket.destroySoon();
}

function problemOf(code: string | undefined): HttpProblem {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new HttpProblem("REQUEST_TIMEOUT", "The request did not arrive in time. Send it again.");
    case "HPE_HEADER_OVERFLOW":
      return new HttpProblem(
        "HEADERS_TOO_LARGE",
        "The request's headers are too large. Send fewer or shorter headers.",
      );
    default:
      return new HttpProblem("INVALID_REQUEST", "The request is not valid HTTP/1.1.");
  }
}

function responseFor(problem: HttpProblem, requestId: string): string {
  const body = problem.toJson(requestId);
  return [
    `HTTP/1.1 ${problem.status} ${reasons[problem.status] ?? ""}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

/** The response that the connection waits for or receives. Node's own handler reads the same private field. */
function messageOf(socket: Socket): { hasBegun: boolean; request: FastifyRequest | undefined } | undefined {
  const message: unknown = Reflect.get(socket, "_httpMessage");
  if (message === null || typeof message !== "object") return undefined;
  // No second response may be written into one that has begun.
  return { hasBegun: Reflect.get(message, "headersSent") === true, request: requestOf(message) };
}

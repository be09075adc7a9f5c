import type { Socket } from "node:net";
import type { NewId } from "@muster/service";
import { HttpProblem } from "../errors/http-problem.ts";

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

/** Responds to input that never became a request: bytes that are not HTTP, too many headers, a request that does not arrive. */
export function answerConnectionError(error: { code?: string }, socket: Socket, newId: NewId): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  if (socket.writable && !isAnswering(socket)) socket.write(responseFor(problemOf(error.code), newId("req")));
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

/** No second response may be written into one that has begun. Node's own handler reads the same private field. */
function isAnswering(socket: Socket): boolean {
  const message: unknown = Reflect.get(socket, "_httpMessage");
  return message !== null && typeof message === "object" && Reflect.get(message, "headersSent") === true;
}

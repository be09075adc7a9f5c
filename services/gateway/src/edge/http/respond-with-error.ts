import type { TSchema } from "@muster/wire/schema";
import type { FastifyReply, FastifyRequest } from "fastify";
import { problemFrom } from "../errors/from-any.ts";
import type { HttpProblem } from "../errors/http-problem.ts";
import { addressOf } from "./client-ip.ts";

/**
 * Sends the public form of any thrown value, as JSON in the route's shape unless `bodyOf` makes another body and sets its type. Failures of the
 * server are logged with their cause.
 */
export function respondWithError(
  error: unknown,
  reply: FastifyReply,
  bodyOf: (problem: HttpProblem) => string = (problem) => jsonOf(problem, reply),
): FastifyReply {
  const { request } = reply;
  const problem = problemFrom(error, request);
  if (problem.status >= 500 && !reply.raw.destroyed) logFailure(request, problem);
  request.errorCode = problem.code;
  request.refusedBy = problem.refusedBy;
  if (problem.status === 401 || problem.status === 429) {
    request.client = addressOf(request);
  }
  // Fastify would close at once; with the rest of the body unread, clients would see a reset instead of the response.
  if (problem.code === "PAYLOAD_TOO_LARGE") reply.removeHeader("connection");
  return reply
    .code(problem.status)
    .headers({ "x-request-id": request.id, ...problem.headers })
    .send(bodyOf(problem));
}

function jsonOf(problem: HttpProblem, reply: FastifyReply): string {
  reply.type("application/json; charset=utf-8");
  const { request } = reply;
  const { errorBody } = request.routeOptions.config;
  return errorBody === undefined ? problem.toJson(request.id) : JSON.stringify(errorBody(problem, request));
}

/** An outage affects every request and probe while it lasts, so one line for each is enough. */
function logFailure(request: FastifyRequest, problem: HttpProblem): void {
  const where = { method: request.method, url: pathOf(request.url) };
  if (problem.status === 503) request.log.warn({ ...where, reason: problem.message }, "unavailable");
  else request.log.error({ ...where, err: problem.cause ?? problem }, "failed");
}

/** Without the query, which may contain secrets. */
function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? "";
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The body of an error in the route's dialect, as JSON. Absent: `{error, code, requestId}`. */
    errorBody?: (problem: HttpProblem, request: FastifyRequest) => object;
    /** Its schema, for the OpenAPI document. */
    errorSchema?: TSchema;
  }
}

import { ConnectError } from "@connectrpc/connect";
import { type IssueInput, shortPath, summarise } from "@muster/rpc";
import type { PublicCode } from "@muster/wire/error-codes";
import type { FastifyRequest } from "fastify";
import { internalProblem, problemFromRpc } from "./from-rpc.ts";
import { HttpProblem } from "./http-problem.ts";
import { issuesOf, isValidationFailure, partOf, type ValidationFailure } from "./validation.ts";

const frameworkCodes: Readonly<Record<string, { code: PublicCode; message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: "PAYLOAD_TOO_LARGE",
    message: "The body is too large. The limit is 4 MiB, and 10 MiB for a start, a trigger or an execution.",
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "UNSUPPORTED_CONTENT_TYPE",
    message: "Send the body as Content-Type: application/json.",
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: "INVALID_REQUEST",
    message: "The length of the body differs from Content-Length.",
  },
  FST_ERR_MAX_PARAM_LENGTH: { code: "NOT_FOUND", message: "This path does not exist." },
  FST_STATIC_FORBIDDEN_PATH: { code: "NOT_FOUND", message: "This path does not exist." },
  FST_ERR_BAD_URL: { code: "INVALID_REQUEST", message: "The path is not a valid URL path." },
};

/** The fields that say where a request has its parts. */
type Carrier = Pick<FastifyRequest, "method" | "headers">;

/** Turns anything thrown while a request is served into an error response. Nothing else does. */
export function problemFrom(error: unknown, request?: Carrier): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof ConnectError) return inQuery(problemFromRpc(error), request);
  if (isValidationFailure(error)) return problemFromValidation(error);
  return problemFromFramework(error) ?? internalProblem(error);
}

/** A service does not know which fields a client sent in a query or a header: without a body, all of them. */
function inQuery(problem: HttpProblem, request: Carrier | undefined): HttpProblem {
  if (request?.method !== "GET" || problem.code !== "INVALID_REQUEST") return problem;
  if (problem.issues.length === 0) return problem;
  const isHeader = ({ path }: IssueInput) => path === "after" && "last-event-id" in request.headers;
  const issues = problem.issues.map((issue) => {
    return { ...issue, path: isHeader(issue) ? "headers.last-event-id" : `query.${issue.path}` };
  });
  return badRequest(problem.issues.every(isHeader) ? "header" : "query", issues);
}

function problemFromValidation(failure: ValidationFailure): HttpProblem {
  // Ids are opaque to clients, so a malformed one is unknown like any other.
  if (partOf(failure) === "path")
    return new HttpProblem("NOT_FOUND", "The resource does not exist in this project.");
  const part = partOf(failure);
  return badRequest(part === "headers" ? "header" : part, issuesOf(failure));
}

/** INVALID_REQUEST for a part of the request, such as its body or a header, that has issues. */
export function badRequest(part: string, issues: IssueInput[]): HttpProblem {
  const short = issues.map((issue) => ({ ...issue, path: shortPath(issue.path) }));
  return new HttpProblem("INVALID_REQUEST", summarise(part, short), { issues: short });
}

function problemFromFramework(error: unknown): HttpProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const known = "code" in error && typeof error.code === "string" ? frameworkCodes[error.code] : undefined;
  if (known) return new HttpProblem(known.code, known.message, { cause: error });
  return blamesClient(error) ? new HttpProblem("INVALID_REQUEST", refused, { cause: error }) : undefined;
}

const refused = "The server cannot process this request. Send it without unusual headers.";

/** A refusal by a plugin, such as of a range outside a file, is the fault of the client. */
function blamesClient(error: Error): boolean {
  if (!("statusCode" in error) || typeof error.statusCode !== "number") return false;
  return error.statusCode >= 400 && error.statusCode < 500;
}

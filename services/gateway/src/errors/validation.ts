import type { IssueInput } from "@muster/rpc";
import type { FastifySchemaValidationError } from "fastify";

/** Thrown by Fastify if a part of a request does not match its schema. */
export interface ValidationFailure {
  validation: FastifySchemaValidationError[];
  validationContext?: string;
}

export function isValidationFailure(error: unknown): error is ValidationFailure {
  return error instanceof Error && "validation" in error && Array.isArray(error.validation);
}

const partNames: Readonly<Record<string, string>> = {
  querystring: "query",
  params: "path",
  headers: "headers",
};

/** `body`, `query`, `path` or `headers`. */
export function partOf(failure: ValidationFailure): string {
  return partNames[failure.validationContext ?? ""] ?? "body";
}

/** One issue per invalid field, with a dotted path; those of the query begin with `query.`. */
export function issuesOf(failure: ValidationFailure): IssueInput[] {
  const part = partOf(failure);
  const prefix = part === "body" ? [] : [part];
  return failure.validation.flatMap((found) => issuesOfOne(found, prefix));
}

function issuesOfOne(found: FastifySchemaValidationError, prefix: string[]): IssueInput[] {
  const path = [...prefix, ...segmentsOf(found.instancePath)];
  const missing = found.params.requiredProperties;
  if (found.keyword === "required" && Array.isArray(missing)) {
    return missing.map((name) => ({ path: [...path, String(name)].join("."), message: "is required" }));
  }
  return [{ path: path.join("."), message: messageOf(found) }];
}

function messageOf({ keyword, params, message }: FastifySchemaValidationError): string {
  if (keyword === "enum" && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.join(", ")}`;
  }
  return message ?? "is not valid";
}

/** Segments of a JSON pointer. */
function segmentsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

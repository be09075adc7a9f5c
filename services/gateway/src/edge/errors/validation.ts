import type { IssueInput } from "@muster/rpc";
import type { FastifySchemaValidationError } from "fastify";
import { ruleOfPattern } from "./patterns.ts";

/** Thrown by Fastify if a part of a request does not match its schema. */
export interface ValidationFailure {
  validation: FastifySchemaValidationError[];
  validationContext?: string;
}

/** The message of an issue about a field that is missing. */
export const isRequired = "is required";

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
  return plainly(withoutOwners(failure.validation)).flatMap((found) => issuesOfOne(found, prefix));
}

/**
 * An object whose further fields have a schema fails as a whole with each of them. Only the fields themselves say what is
 * wrong.
 */
function withoutOwners(all: readonly FastifySchemaValidationError[]): FastifySchemaValidationError[] {
  const paths = all.map(({ instancePath }) => instancePath);
  return all.filter(({ keyword, instancePath }) => {
    return keyword !== "additionalProperties" || !paths.some((path) => path.startsWith(`${instancePath}/`));
  });
}

/**
 * A nullable field that is wrong fails in each of its branches, and then as a whole. Only the branch that is not null
 * says what is wrong.
 */
function plainly(all: readonly FastifySchemaValidationError[]): FastifySchemaValidationError[] {
  const unions = new Set(
    all.filter(({ keyword }) => keyword === "anyOf").map(({ instancePath }) => instancePath),
  );
  const isNoise = (found: FastifySchemaValidationError) => found.keyword === "anyOf" || isNullBranch(found);
  const explained = new Set(all.filter((found) => !isNoise(found)).map(({ instancePath }) => instancePath));
  return all.filter((found) => {
    const { instancePath } = found;
    return !(isNoise(found) && unions.has(instancePath) && explained.has(instancePath));
  });
}

function isNullBranch({ keyword, params }: FastifySchemaValidationError): boolean {
  return keyword === "type" && params.type === "null";
}

function issuesOfOne(found: FastifySchemaValidationError, prefix: string[]): IssueInput[] {
  const path = [...prefix, ...segmentsOf(found.instancePath)];
  const missing = found.params.requiredProperties;
  if (found.keyword === "required" && Array.isArray(missing)) {
    return missing.map((name) => ({ path: [...path, String(name)].join("."), message: isRequired }));
  }
  // All values of a query are strings, except lists: those of a parameter that was given more than once.
  const isRepeated = prefix[0] === "query" && found.keyword === "type";
  const message = isRepeated ? "must be given only once" : messageOf(found);
  const { suggestions = [] } = found.params;
  return [
    {
      path: path.join("."),
      message,
      ...(Array.isArray(suggestions) && suggestions.length > 0 && { suggestions }),
    },
  ];
}

function messageOf({ keyword, params, message }: FastifySchemaValidationError): string {
  if (keyword === "enum" && Array.isArray(params.allowedValues)) {
    const { length } = params.allowedValues;
    return `must be ${length > 1 ? "one of " : ""}${params.allowedValues.join(", ")}`;
  }
  if ((keyword === "minLength" || keyword === "minItems") && params.limit === 1) return "must not be empty";
  if (keyword === "type") return `must be ${[params.type].flat().map(nounOf).join(" or ")}`;
  const rule = keyword === "pattern" ? ruleOfPattern.get(String(params.pattern)) : undefined;
  return rule ?? message ?? "is not valid";
}

function nounOf(type: unknown): string {
  return nouns.get(String(type)) ?? String(type);
}

/** The types of JSON Schema, as a sentence names them. */
const nouns: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["object", "an object"],
  ["array", "an array"],
  ["boolean", "true or false"],
  ["number", "a number"],
  ["integer", "a whole number"],
]);

/** Segments of a JSON pointer. */
function segmentsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

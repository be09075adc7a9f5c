import { meaningOfCode, type PublicCode, statusOfCode } from "@muster/wire/error-codes";
import type { TSchema } from "@muster/wire/schema";
import type { FastifySchema, RouteOptions } from "fastify";
import { type AccessRow, isOpen, type LimitedCredential } from "../../auth/access-table.ts";
import { errorBody } from "../common.ts";
import { headersOf } from "./headers.ts";

/** A route's schema with everything that follows from how routes work: access, errors and response headers. */
export function operationOf(schema: FastifySchema = {}, { config, method }: RouteOptions): FastifySchema {
  const { access, errors = [], sends = [], errorSchema } = config ?? {};
  if (access === undefined) return schema;
  const responses = typeof schema.response === "object" ? schema.response : {};
  const own = Object.entries(responses ?? {}).map(([status, response]) => [
    status,
    { ...response, headers: headersOf(Number(status), sends) },
  ]);
  const codes = new Set([...errors, ...commonErrors(access, method === "GET")]);
  return {
    ...schema,
    description: [schema.description, requirement(access)].filter(Boolean).join("\n\n"),
    security: isOpen(access) ? [] : [...(access.orSigned ? [{}] : []), { apiKey: [] }],
    response: { ...errorResponses(codes, errorSchema), ...Object.fromEntries(own) },
  };
}

function requirement(row: AccessRow): string {
  if (isOpen(row)) return "Needs no key.";
  const { anyOf, grants, limited, onlyLimited, orSigned } = row;
  if (orSigned) {
    return `A public recording needs no key. A private one needs a signed URL or ${listOf(limited.map((name) => limitedNames[name]))}.`;
  }
  if (onlyLimited) return `Needs ${listOf(limited.map((name) => limitedNames[name]))}, and accepts no other.`;
  const besides = grants === undefined ? "" : `, and \`${grants}\`, which it grants`;
  const permission = `Needs a key with the permission ${anyOf.map((name) => `\`${name}\``).join(" or ")}${besides}.`;
  const others = limited.map((name) => limitedNames[name]);
  if (others.length === 0) return `${permission} Refuses keys for one agent, and tokens.`;
  return `${permission} Also accepts ${listOf(others)}.`;
}

const limitedNames: Readonly<Record<LimitedCredential, string>> = {
  "agent-key": "a key for one agent",
  "workforce-key": "a key of the workforce agent",
  "agent-token": "a token for its agent",
  "session-token": "a token for its session",
  "computer-token": "a token of the computer",
};

function listOf(names: readonly string[]): string {
  return new Intl.ListFormat("en", { type: "conjunction" }).format(names);
}

/** Codes of every route: of the checks before its handler, and of failures behind it. */
function commonErrors(access: AccessRow, isRead: boolean): PublicCode[] {
  const codes: PublicCode[] = ["INVALID_REQUEST", "NOT_ACCEPTABLE", "UNSUPPORTED_CONTENT_TYPE", "INTERNAL"];
  if (!isRead) codes.push("INVALID_JSON", "PAYLOAD_TOO_LARGE", "STORAGE_FULL");
  if (!isOpen(access)) {
    codes.push("UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND", "RATE_LIMITED", "UNAVAILABLE", "TIMEOUT");
  }
  return codes;
}

/** Conflicts that pass by themselves. */
const waiting: readonly PublicCode[] = ["IDEMPOTENCY_KEY_IN_PROGRESS", "RECORDING_NOT_READY"];

/** The responses for error codes, by status, with the codes that each can have. */
function errorResponses(codes: Iterable<PublicCode>, ofDialect: TSchema | undefined) {
  const sorted = [...codes].sort((a, b) => statusOfCode[a] - statusOfCode[b]);
  const byStatus = Map.groupBy(sorted, (code) => statusOfCode[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [status, errorResponse(status, same, ofDialect)]),
  );
}

function errorResponse(status: number, codes: readonly PublicCode[], ofDialect: TSchema | undefined) {
  const narrowed = {
    type: "object",
    properties: { code: { type: "string", enum: codes } },
    required: ["code"],
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${meaningOfCode[code]}`).join("\n\n"),
    headers: headersOf(status, codes.some((code) => waiting.includes(code)) ? ["Retry-After"] : []),
    content: { "application/json": { schema: ofDialect ?? { allOf: [errorBody, narrowed] } } },
  };
}

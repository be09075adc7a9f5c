import type { PublicCode } from "@muster/error-codes";
import type { FastifySchema, RouteOptions } from "fastify";
import type { Access } from "../auth/access.ts";
import { errorResponses } from "./error-responses.ts";
import { headersOf } from "./headers.ts";

/** A route's schema with everything that follows from how routes work: access, errors and response headers. */
export function operationOf(schema: FastifySchema = {}, { config, method }: RouteOptions): FastifySchema {
  const { access, errors = [], sends = [] } = config ?? {};
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
    security: access === "public" ? [] : [{ apiKey: [] }],
    response: { ...errorResponses(codes), ...Object.fromEntries(own) },
  };
}

function requirement(access: Access): string {
  if (access === "public") return "Needs no key.";
  return `Needs a key with the permission ${access.map((name) => `\`${name}\``).join(" or ")}.`;
}

/** Codes of every route: of the checks before its handler, and of failures behind it. */
function commonErrors(access: Access, isRead: boolean): PublicCode[] {
  const codes: PublicCode[] = ["INVALID_REQUEST", "NOT_ACCEPTABLE", "UNSUPPORTED_CONTENT_TYPE", "INTERNAL"];
  if (!isRead) codes.push("INVALID_JSON", "PAYLOAD_TOO_LARGE");
  if (access !== "public") {
    codes.push("UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND", "RATE_LIMITED", "UNAVAILABLE", "TIMEOUT");
  }
  return codes;
}

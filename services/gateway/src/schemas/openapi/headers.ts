/** Every response header of the contract. The OpenAPI document has one component for each. */
export const responseHeaders = {
  "X-Request-Id": {
    type: "string",
    description:
      "The id of the request: the one that the client sent, or a new one. It is in every log line.",
  },
  "X-Session-Id": { type: "string", description: "The id of the session that the request created." },
  "WWW-Authenticate": { type: "string", description: "`Bearer`." },
  "Retry-After": {
    type: "integer",
    minimum: 1,
    description: "How long to wait before the next attempt, in seconds.",
  },
  "Idempotent-Replayed": {
    type: "string",
    description:
      "`true` if an earlier request with the same idempotency key had this effect; absent otherwise.",
  },
  ETag: { type: "string", description: "The version of the response, in quotes." },
  "Last-Modified": { type: "string", description: "When the content was stored." },
  "Accept-Ranges": { type: "string", description: "`bytes`: the `Range` header works." },
  "Content-Range": { type: "string", description: "Which bytes the response has, and of how many." },
  "Content-Disposition": { type: "string", description: "The name of the file." },
  "Cache-Control": { type: "string", description: "How long the response may be cached." },
  "Set-Cookie": { type: "string", description: "The cookie of a login, or its removal." },
  "RateLimit-Limit": { type: "integer", description: "How many requests a client may send in a minute." },
  "RateLimit-Remaining": { type: "integer", description: "How many of them are left." },
  "RateLimit-Reset": { type: "integer", description: "When the count starts again, in seconds." },
} as const;

export type ResponseHeader = keyof typeof responseHeaders;

/** The headers of a response with the status, besides `more`. */
export function headersOf(status: number, more: readonly ResponseHeader[] = []) {
  const names: ResponseHeader[] = ["X-Request-Id", ...more];
  if (status === 401) names.push("WWW-Authenticate");
  if (status === 429 || status === 503) names.push("Retry-After");
  if (status === 206 || status === 416) names.push("Content-Range");
  return Object.fromEntries(names.map((name) => [name, responseHeaders[name]]));
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Headers of the route's successes, besides `X-Request-Id`. */
    sends?: readonly ResponseHeader[];
  }
}

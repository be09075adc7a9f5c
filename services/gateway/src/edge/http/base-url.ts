import type { FastifyRequest } from "fastify";

/**
 * The address under which the client has reached the server: of the `Host` header and the scheme, or as a trusted proxy
 * forwarded them. Undefined for a malformed `Host`.
 */
export function baseUrlOf({ protocol, host }: Pick<FastifyRequest, "protocol" | "host">): string | undefined {
  return URL.parse(`${protocol}://${host}`)?.origin;
}

import type { PublicCode } from "@muster/wire/error-codes";
import { HttpProblem } from "../errors/http-problem.ts";

/**
 * Headers that a request may contain only once. Node takes the first, joins them or takes the last; a proxy in front may
 * have read another one. Two `Content-Length` never become a request, and two `Authorization` are unauthenticated.
 */
const singletons = new Set(["host", "content-type", "idempotency-key", "x-project-id"]);
const lengths = new Set([...singletons].map((name) => name.length));

/**
 * Throws INVALID_REQUEST if one of them was sent twice, and INVALID_IDEMPOTENCY_KEY for that header if it is among the
 * `errors` of the route.
 */
export function assertSingletons(rawHeaders: readonly string[], errors: readonly PublicCode[] = []): void {
  let seen: string[] | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] ?? "";
    if (!lengths.has(header.length)) continue;
    const name = header.toLowerCase();
    if (!singletons.has(name)) continue;
    if (seen?.includes(name)) {
      const isKey = name === "idempotency-key" && errors.includes("INVALID_IDEMPOTENCY_KEY");
      const code = isKey ? "INVALID_IDEMPOTENCY_KEY" : "INVALID_REQUEST";
      throw new HttpProblem(code, `Send the header ${header} only once.`);
    }
    seen ??= [];
    seen.push(name);
  }
}

import rateLimit from "@fastify/rate-limit";
import { HttpProblem } from "../errors/http-problem.ts";
import type { App } from "../http/app.ts";
import { clientKey } from "../http/client-ip.ts";

const windowMs = 60_000;

/** Prepares `limitPerClient`. This alone limits no route. */
export async function prepareRateLimits(app: App): Promise<void> {
  await app.register(rateLimit, { global: false, enableDraftSpec: true });
}

/**
 * Hooks for a route's `onRequest` that limit the requests of each client per minute, whatever their response; more
 * are 429 RATE_LIMITED. GET and HEAD of a route count together. 0 means no limit. Each instance counts separately and
 * remembers at most `maxClients`, the most recent ones, so that memory stays bounded.
 */
export function limitPerClient(app: App, maxPerMinute: number, maxClients = 10_000) {
  if (maxPerMinute === 0) return [];
  const limit = app.rateLimit({
    max: maxPerMinute,
    timeWindow: windowMs,
    cache: maxClients,
    keyGenerator: (request) => clientKey(request.ip, request.socket.remoteAddress),
    errorResponseBuilder: (_request, { ttl }) =>
      new HttpProblem(
        "RATE_LIMITED",
        `This address may send ${maxPerMinute} requests a minute. Wait for Retry-After and cache the response.`,
        { retryAfterMs: ttl, refusedBy: "rate_limit" },
      ),
  });
  return [limit];
}

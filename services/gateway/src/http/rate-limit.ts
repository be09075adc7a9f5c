import rateLimit from "@fastify/rate-limit";
import { HttpProblem } from "../errors/http-problem.ts";
import type { App } from "../routes/app.ts";
import { clientKey } from "./client-ip.ts";

const windowMs = 60_000;

/** Makes `limitPerClient` possible. No route is limited by this alone. */
export async function prepareRateLimits(app: App): Promise<void> {
  await app.register(rateLimit, { global: false, enableDraftSpec: true });
}

/**
 * Hooks for a route's `onRequest`: at most so many requests in a minute of each client, whatever they are answered
 * with, else 429 RATE_LIMITED. GET and HEAD of a route count together. 0 is no limit. Each instance counts for itself,
 * and of `maxClients` only: whoever was not seen for longest is forgotten first, so that memory stays bounded.
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
        `This address may ask ${maxPerMinute} times a minute. Wait for Retry-After, and keep what you have got.`,
        { retryAfterMs: ttl },
      ),
  });
  return [limit];
}

import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../edge/http/app.ts";
import type { KnownPaths } from "../edge/http/known-paths.ts";
import { type AccessRow, accessOf } from "./access-table.ts";

const exposed = "X-Request-Id, X-Session-Id, Retry-After";
/** How long browsers may remember a preflight: an origin that is removed from the settings is refused after that. */
const preflightSeconds = 600;
const headerNames = /^[\w!#$%&'*+.^`|~, -]{1,1000}$/;

/**
 * Allows pages of these origins to use the routes that the access table opens to browsers, and pages of any origin
 * those whose address is the credential. Every response of such a route, also an error or a stream, says so. Cookies
 * play no part: other credentials are sent as bearer tokens.
 */
export function openToBrowsers(app: App, origins: readonly string[], paths: KnownPaths): void {
  const known = new Set(origins);
  app.addHook("onRequest", async (request, reply) => {
    const opening = openingOf(request, paths);
    if (opening === undefined || (opening === "known-origins" && known.size === 0)) return;
    const allowed = opening === "any-origin" ? "*" : request.headers.origin;
    // Set on the raw response, because streams bypass Fastify's headers.
    if (allowed !== "*") reply.raw.setHeader("vary", "Origin");
    if (allowed === undefined || (allowed !== "*" && !known.has(allowed))) return;
    allow(reply.raw, allowed);
    if (isPreflight(request)) return answerPreflight(request, reply, methodsFor(request.url, paths));
  });
}

/** A preflight, or any method that the path does not have, matches no route. */
function openingOf({ routeOptions, is404, url }: FastifyRequest, paths: KnownPaths): AccessRow["browsers"] {
  if (!is404) return routeOptions.config.access?.browsers;
  const [method = ""] = methodsFor(url, paths);
  return accessOf(method, paths.patternOf(url) ?? "")?.browsers;
}

/** The methods of the path that browsers may use. */
function methodsFor(url: string, paths: KnownPaths): string[] {
  const pattern = paths.patternOf(url);
  if (pattern === undefined) return [];
  return paths.methodsOf(url).filter((method) => accessOf(method, pattern)?.browsers !== undefined);
}

function allow(response: ServerResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("access-control-expose-headers", exposed);
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

function answerPreflight(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]) {
  const wanted = request.headers["access-control-request-headers"];
  reply.raw.appendHeader("vary", "Access-Control-Request-Headers");
  return reply
    .code(204)
    .headers({
      "access-control-allow-methods": methods.join(", "),
      "access-control-max-age": preflightSeconds,
      ...(wanted !== undefined && headerNames.test(wanted) && { "access-control-allow-headers": wanted }),
    })
    .send();
}

/** Whether the text is an origin exactly as browsers send it: `https://app.example.com`, with a port unless it is the default. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text && !text.includes("*");
}

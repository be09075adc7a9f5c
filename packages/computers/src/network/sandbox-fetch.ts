import type { GuardedFetch, GuardedResponse } from "@muster/guarded-fetch";
import type { FetchRequest } from "../sandbox/job.ts";

const maxResponseBytes = 10 * 1024 * 1024;
const maxRedirects = 5;
const defaultTimeoutMs = 30_000;
const maxTimeoutMs = 60_000;

/** Fetches for a command in a sandbox, if the host is allowed. */
export type SandboxFetch = (request: FetchRequest, signal: AbortSignal) => Promise<GuardedResponse>;

export function createSandboxFetch(
  fetchGuarded: GuardedFetch,
  allowedHosts: readonly string[],
): SandboxFetch {
  return (request, signal) =>
    fetchGuarded(
      request.url,
      {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        ...(request.body === undefined ? {} : { body: request.body }),
        maxBytes: maxResponseBytes,
        timeoutMs: Math.min(request.timeoutMs ?? defaultTimeoutMs, maxTimeoutMs),
        redirects: request.followRedirects ? maxRedirects : "return",
        mayVisit: ({ hostname }) => isAllowed(hostname.toLowerCase(), allowedHosts),
      },
      signal,
    );
}

/** `*` allows every host, `*.example.com` those below example.com, and a name itself only. */
export function isAllowed(hostname: string, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some(
    (allowed) =>
      allowed === "*" ||
      allowed === hostname ||
      (allowed.startsWith("*.") && hostname.endsWith(allowed.slice(1))),
  );
}

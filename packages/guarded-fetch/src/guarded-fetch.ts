import type { Dispatcher } from "undici";
import { acceptedEncodings, badResponse, boundedBody, decoderFor, tooLarge } from "./body.ts";
import { Deadline } from "./deadline.ts";
import { FetchProblem } from "./fetch-problem.ts";
import { createGuard, type Guard, type GuardOptions, parseUrl } from "./guard.ts";
import { problemOf } from "./problem-of.ts";
import { checkHeaders, checkMethod, isRedirect, type PlannedRequest, redirected } from "./request.ts";
import { GuardedResponse } from "./response.ts";
import type { Hop, Send } from "./send.ts";

export interface FetchOptions {
  /** Default: GET. */
  method?: string;
  /** Not Host, Content-Length and other headers that say where the request goes or ends. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** The limit of the body, as sent and as decoded. Default: 1 MiB. */
  maxBytes?: number;
  /** The limit of the response's header. Default: 16 KiB. */
  maxHeaderBytes?: number;
  /** From the call to the last byte of the body, redirects included. Default: 10 s. */
  timeoutMs?: number;
  /** The longest wait for a header or for the next bytes of the body. Default: `timeoutMs`. */
  stallMs?: number;
  /** How many to follow; each is checked as the first URL was. `return`: a redirect is the response. Default: 3. */
  redirects?: number | "return";
  /** Narrows which URLs may be visited, redirects included, such as to an allow-list of hosts. */
  mayVisit?: (url: URL) => boolean;
  /** False: the body is returned as sent. Default: true. */
  decode?: boolean;
  /** Called once a connection is open. Before, the server cannot have received the request. */
  onConnect?: () => void;
}

/**
 * Fetches a URL that a user named. Resolves once the header is there; the limits apply until the body has ended. Rejects
 * with FetchProblem, or with the reason of the signal.
 */
export type GuardedFetch = (
  url: string | URL,
  options?: FetchOptions,
  signal?: AbortSignal,
) => Promise<GuardedResponse>;

/** From public addresses only. */
export const fetchGuarded: GuardedFetch = createGuardedFetch();

export function createGuardedFetch(guardOptions: GuardOptions = {}): GuardedFetch {
  const guard = createGuard(guardOptions);
  return async (url, options = {}, signal) => {
    signal?.throwIfAborted();
    const limits = { ...defaults, stallMs: options.timeoutMs ?? defaults.timeoutMs, ...options };
    const first = plan(parseUrl(url), options);
    const { send } = await loadClient();
    signal?.throwIfAborted();
    const deadline = new Deadline(limits.timeoutMs, signal);
    try {
      return await followed({ guard, guardOptions, limits, deadline, send }, first);
    } catch (error) {
      const problem = problemOf(error, deadline.signal);
      deadline.end();
      throw problem;
    }
  };
}

/** Loads the HTTP client, which takes some tens of milliseconds. Otherwise, the first fetch does so. */
export const prepareFetches = async (): Promise<void> => {
  await loadClient();
};

const loadClient = () => import("./send.ts");

const defaults = {
  maxBytes: 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  timeoutMs: 10_000,
  redirects: 3,
  decode: true,
  mayVisit: () => true,
  onConnect: () => {},
};

interface Fetch {
  guard: Guard;
  guardOptions: GuardOptions;
  limits: Required<Omit<FetchOptions, "method" | "headers" | "body">>;
  deadline: Deadline;
  send: Send;
}

function plan(url: URL, { method = "GET", headers = {}, body }: FetchOptions): PlannedRequest {
  const accept = { accept: "*/*", "accept-encoding": acceptedEncodings, "user-agent": "Muster" };
  return {
    url,
    method: checkMethod(method),
    headers: { ...accept, ...checkHeaders(headers) },
    body: body ?? null,
  };
}

async function followed(fetch: Fetch, first: PlannedRequest): Promise<GuardedResponse> {
  const { redirects } = fetch.limits;
  let request = first;
  for (let followedSoFar = 0; ; followedSoFar++) {
    check(fetch, request.url);
    const hop = await fetch.send(fetch, request);
    const { statusCode } = hop.response;
    if (redirects === "return" || !isRedirect(statusCode)) return received(fetch, request, hop);
    hop.close();
    if (followedSoFar >= redirects) {
      throw new FetchProblem("too-many-redirects", `The server redirects more than ${redirects} times.`);
    }
    request = redirected(request, statusCode, targetOf(hop, request.url));
  }
}

function check({ guard, limits }: Fetch, url: URL): void {
  guard.check(url);
  if (!limits.mayVisit(url)) throw new FetchProblem("not-allowed", `${url.origin} may not be visited.`);
}

function received(
  { limits, deadline }: Fetch,
  { url, method }: PlannedRequest,
  { response, close }: Hop,
): GuardedResponse {
  const { maxBytes } = limits;
  try {
    const headers = headersOf(response);
    const decode = limits.decode ? decoderFor(headers.get("content-encoding")) : undefined;
    const hasBody = method !== "HEAD";
    if (hasBody && Number(headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
    const problem = (error: unknown) => problemOf(error, deadline.signal);
    const body = boundedBody(response.body, { decode, maxBytes, deadline, problemOf: problem });
    body.once("close", close);
    if (decode !== undefined) for (const name of ["content-encoding", "content-length"]) headers.delete(name);
    return new GuardedResponse(url, response.statusCode, headers, body);
  } catch (error) {
    close();
    throw error;
  }
}

function headersOf(response: Dispatcher.ResponseData): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return headers;
}

function targetOf({ response }: Hop, from: URL): URL {
  const { location } = response.headers;
  const target = typeof location === "string" ? URL.parse(location, from.href) : null;
  if (target === null) throw badResponse("The server redirects without a valid target.");
  target.hash = "";
  return target;
}

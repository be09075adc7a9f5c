import { FetchProblem } from "./fetch-problem.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export type Method = (typeof methods)[number];

/** One request, to be sent to one address. */
export interface PlannedRequest {
  url: URL;
  method: Method;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | null;
}

/** These say where a request goes, or where it ends. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/;

/** Header names in lower case. Throws FetchProblem for a header that only the guard may set. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (ownHeaders.test(lower)) throw invalidRequest(`The header ${name} cannot be set.`);
    checked[lower] = value;
  }
  return checked;
}

export function checkMethod(method: string): Method {
  const known = methods.find((name) => name === method);
  if (known === undefined) throw invalidRequest(`The method ${method} is not supported.`);
  return known;
}

export function invalidRequest(message: string, cause?: unknown): FetchProblem {
  return new FetchProblem("invalid-request", message, { cause });
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** The request that a redirect asks for, by the rules of browsers. Another origin gets no credentials. */
export function redirected(request: PlannedRequest, status: number, url: URL): PlannedRequest {
  const becomesGet =
    (status === 303 && request.method !== "HEAD") || (status <= 302 && request.method === "POST");
  const isSameOrigin = url.origin === request.url.origin;
  const headers = Object.entries(request.headers).filter(
    ([name]) => (isSameOrigin || harmless.has(name)) && !(becomesGet && name.startsWith("content-")),
  );
  return {
    url,
    method: becomesGet ? "GET" : request.method,
    headers: Object.fromEntries(headers),
    body: becomesGet ? null : request.body,
  };
}

/** Any other header may be a credential. */
const harmless = new Set(["accept", "accept-encoding", "accept-language", "content-type", "user-agent"]);

import proxyAddr from "@fastify/proxy-addr";
import { formOf } from "@muster/service/credentials";
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { ipOf } from "../edge/http/client-ip.ts";
import { baseUrlOf } from "../edge/http/headers.ts";

/** The parts of a request that decide where it was sent, and by whose page. */
type Sent = Pick<FastifyRequest, "headers" | "host" | "ip" | "protocol" | "socket">;

/** The server as a browser sees it. */
export interface Site {
  /** The origin of the server's own pages. */
  readonly origin: string;
  readonly isSecure: boolean;
}

/** Pages of other origins can send it only after a preflight, and none of those allows credentials. */
export const loginHeader = "x-muster-login";

/** All headers of a request that a login depends on. */
export const loginHeaders = ["cookie", loginHeader, "origin", "sec-fetch-site"] as const;

/** That of a container's port on this machine is private, not loopback. */
const isNear = proxyAddr.compile(["loopback", "uniquelocal"]);

/**
 * Where logins work: over https, which a proxy may end, and over plain http on the browser's own machine. Undefined elsewhere,
 * where others could read the cookie.
 */
function siteOf(request: Sent, publicUrl: string | undefined): Site | undefined {
  const own = baseUrlOf(request);
  if (own?.startsWith("https:")) return { origin: own, isSecure: true };
  if (publicUrl?.startsWith("https:")) return { origin: new URL(publicUrl).origin, isSecure: true };
  return own !== undefined && isLocal(own, request) ? { origin: own, isSecure: false } : undefined;
}

function isLocal(own: string, request: Sent): boolean {
  const { ip } = ipOf(request);
  const isLoopback = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(own).hostname);
  return isLoopback && ip !== undefined && isNear(ip, 0);
}

/** Throws FORBIDDEN where logins do not work. */
export function siteFor(request: Sent, publicUrl: string | undefined): Site {
  const site = siteOf(request, publicUrl);
  if (site === undefined) {
    throw new HttpProblem(
      "FORBIDDEN",
      "Over plain http, a login works only at http://localhost, on the machine of the server or through a forwarded port. Serve Muster over https and set PUBLIC_URL to its address: see docs/console.md.",
    );
  }
  return site;
}

/** Throws FORBIDDEN where logins do not work, and for pages of other origins. */
export function requireSite(request: Sent, publicUrl: string | undefined): Site {
  const site = siteFor(request, publicUrl);
  if (isOfOtherOrigin(request, site)) {
    throw new HttpProblem(
      "FORBIDDEN",
      `A login works only for pages of ${site.origin}. Open the page there.`,
    );
  }
  return site;
}

/**
 * The credential of a login. Undefined without its cookie, or if that was sent twice or is malformed. Throws UNAUTHENTICATED
 * unless a page of the server's own origin has sent it.
 */
export function loginOf(request: Sent, publicUrl: string | undefined): string | undefined {
  const { cookie } = request.headers;
  const site = cookie === undefined ? undefined : siteOf(request, publicUrl);
  const credential = site && cookieOf(cookie, nameIn(site));
  if (site === undefined || credential === undefined || formOf(credential) !== "login") return undefined;
  if (request.headers[loginHeader] !== "1")
    throw refusal("Send X-Muster-Login: 1 with the cookie of a login.");
  if (isOfOtherOrigin(request, site)) {
    throw refusal(`The cookie of a login works only for pages of ${site.origin}. Open the page there.`);
  }
  return credential;
}

/**
 * The header that gives a browser the login; undefined ends it. Without Max-Age: the cookie ends with the browser, and the
 * server ends the login, which each use extends.
 */
export function loginCookie(site: Site, credential: string | undefined): string {
  const end = credential === undefined ? "; Max-Age=0" : "";
  return `${nameIn(site)}=${credential ?? ""}${scopeIn(site)}; SameSite=Strict${end}`;
}

/** The state of a login while its user is at the identity provider, which sends the user back from another site. */
export function attemptCookie(site: Site, sealed: string | undefined, maxAgeS: number): string {
  const age = sealed === undefined ? 0 : maxAgeS;
  return `${nameIn(site)}-attempt=${sealed ?? ""}${scopeIn(site)}; SameSite=Lax; Max-Age=${age}`;
}

export function attemptOf({ headers }: Pick<Sent, "headers">, site: Site): string | undefined {
  return cookieOf(headers.cookie, `${nameIn(site)}-attempt`);
}

function scopeIn({ isSecure }: Site): string {
  return `; Path=/${isSecure ? "; Secure" : ""}; HttpOnly`;
}

/** Browsers accept the prefix only with Secure and without Domain, so no other host and no plain http can set the cookie. */
function nameIn({ isSecure }: Site): string {
  return isSecure ? "__Host-muster-login" : "muster-login";
}

function isOfOtherOrigin({ headers }: Sent, { origin }: Site): boolean {
  const { origin: sent = origin, "sec-fetch-site": from = "same-origin" } = headers;
  return sent !== origin || from !== "same-origin";
}

function cookieOf(header = "", name: string): string | undefined {
  const values = header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value = "", ...others] = values;
  return others.length === 0 && value !== "" ? value : undefined;
}

function refusal(message: string): HttpProblem {
  return new HttpProblem("UNAUTHENTICATED", message);
}

import type { NewId } from "@muster/service";
import type { PublicCode } from "@muster/wire/error-codes";
import type { FastifyRequest } from "fastify";
import { HttpProblem } from "../errors/http-problem.ts";

/** Stands for a media type that is only known when the response is read. Every Accept header allows it. */
export const anyType = "*/*";

/**
 * Whether an Accept header allows the media type. The most specific matching range decides; `q=0` excludes it.
 */
export function accepts(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header.trim() === "" || header === anyType || mediaType === anyType)
    return true;
  const anySubtype = `${mediaType.slice(0, mediaType.indexOf("/"))}/*`;
  const ranges = new Map(header.split(",").map(parseRange));
  return ranges.get(mediaType) ?? ranges.get(anySubtype) ?? ranges.get("*/*") ?? false;
}

/** Whether a user may be reading, who opened the address in a browser: only then is HTML named. */
export function prefersPage(header: string | undefined): boolean {
  return new Map((header ?? "").split(",").map(parseRange)).get("text/html") === true;
}

/** How a response may be compressed, the smallest first. Browsers ask for `br` over HTTPS only. */
const encodings = ["br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

/** The first encoding that an Accept-Encoding header names; undefined if it names none. */
export function acceptedEncoding(header: string | undefined): Encoding | undefined {
  const ranges = new Map((header ?? "").split(",").map(parseRange));
  return encodings.find((encoding) => ranges.get(encoding));
}

function parseRange(text: string): [range: string, wanted: boolean] {
  const [range = "", ...parameters] = text.toLowerCase().split(";");
  const quality = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith("q="));
  return [range.trim(), quality === undefined || Number(quality.slice(2)) > 0];
}

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

/**
 * The address under which the client has reached the server: of the `Host` header and the scheme, or as a trusted proxy
 * forwarded them. Undefined for a malformed `Host`.
 */
export function baseUrlOf({ protocol, host }: Pick<FastifyRequest, "protocol" | "host">): string | undefined {
  return URL.parse(`${protocol}://${host}`)?.origin;
}

const printable = /^[\x20-\x7e]{1,128}$/;

/** The client's id if it is 1-128 printable ASCII characters, otherwise a new one. */
export function requestIdFrom(header: string | string[] | undefined, newId: NewId): string {
  return typeof header === "string" && printable.test(header) ? header : newId("req");
}

/** The value of Content-Disposition for a file that is saved under this name. `inline`: browsers show it first. */
export function dispositionOf(filename: string, kind: "attachment" | "inline" = "attachment"): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded(filename.toWellFormed())}`;
}

/** RFC 8187 allows fewer characters than encodeURIComponent leaves. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

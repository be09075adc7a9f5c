import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";

/** The fields that name a version of a content that never changes in place. */
export interface Validators {
  /** Strong, in quotes. */
  readonly etag: string;
  readonly modifiedAtMs: number;
}

/** The value of a Last-Modified header, which has whole seconds. */
export function httpDate(timeMs: number): string {
  return new Date(timeMs).toUTCString();
}

/** Whether the client has this version already. If-Modified-Since counts only without If-None-Match. */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, modifiedAtMs }: Validators): boolean {
  const known = headers["if-none-match"];
  if (known !== undefined) return isNamedBy(known, etag);
  const sinceMs = timeOf(headers["if-modified-since"]);
  return sinceMs !== undefined && wholeSeconds(modifiedAtMs) <= sinceMs;
}

/** Whether a Range header applies: there is no If-Range, or it names exactly this version. */
export function mayBePart({ "if-range": header }: IncomingHttpHeaders, validators: Validators): boolean {
  if (header === undefined) return true;
  const text = String(header).trim();
  return text === validators.etag || timeOf(text) === wholeSeconds(validators.modifiedAtMs);
}

const day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const time = String.raw`\d{2}:\d{2}:\d{2}`;
const dates = new RegExp(
  `^(?:${[
    String.raw`${day}, \d{2} ${month} \d{4} ${time} GMT`,
    String.raw`(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-${month}-\d{2} ${time} GMT`,
    String.raw`${day} ${month} [ \d]\d ${time} \d{4}`,
  ].join("|")})$`,
);

/** The time of a header in one of the three forms of RFC 9110; undefined for anything else, which must be ignored. */
function timeOf(header: string | undefined): number | undefined {
  if (header === undefined || !dates.test(header)) return undefined;
  // The third form has no zone; it means GMT as well.
  const timeMs = Date.parse(header.endsWith("GMT") ? header : `${header} GMT`);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

function wholeSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1_000) * 1_000;
}

const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;

/**
 * Whether an If-None-Match header names the entity tag, strong or weak, alone or in a list, or any tag by `*`. Malformed
 * tags match none, so that a damaged header costs a full response and not an error.
 */
export function isNamedBy(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || tagsIn(header).some((one) => one.replace(/^W\//, "") === etag);
}

/** Sends 304. Nothing is serialised, because a 304 must not carry the length of another body. */
export function sendUnchanged(reply: FastifyReply): void {
  reply.code(304).send();
}

const list = new RegExp(String.raw`^[\s,]*(?:${tag}\s*(?:,[\s,]*|$))+$`);

/**
 * The content of an If-Match header: any version, or these tags, unchanged. Undefined if it is neither; such a header must
 * be refused, because a damaged condition must not be ignored.
 */
export function readIfMatch(header: string): "*" | readonly string[] | undefined {
  if (header.trim() === "*") return "*";
  return list.test(header) ? tagsIn(header) : undefined;
}

/** The text of the only tag in an If-None-Match header, strong or weak; undefined if there are none, several or any. */
export function onlyTagIn(header: string | undefined): string | undefined {
  const [tag, ...others] = header === undefined ? [] : tagsIn(header);
  return tag === undefined || others.length > 0 ? undefined : tag.replace(/^W\//, "").slice(1, -1);
}

function tagsIn(header: string): readonly string[] {
  return header.match(new RegExp(tag, "g")) ?? [];
}

/** Positions of bytes. Both are included. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const rangeUnit = /^bytes=/i;
const rangeSpec = /^(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * The part of `size` bytes that a Range header asks for. A header that is malformed or of another unit is ignored, as RFC 9110
 * allows: the whole answers it. So are several ranges of which more than one can be satisfied.
 */
export function requestedRange(
  header: string | undefined,
  size: number,
): ByteRange | "whole" | "unsatisfiable" {
  if (header === undefined || !rangeUnit.test(header)) return "whole";
  const wanted = specsOf(header.slice(header.indexOf("=") + 1)).map((spec) => rangeOf(spec, size));
  if (wanted.length === 0 || wanted.includes("malformed")) return "whole";
  const [range, ...others] = wanted.filter((each) => typeof each === "object");
  if (range === undefined) return "unsatisfiable";
  return others.length > 0 ? "whole" : range;
}

/** Recipients ignore empty elements of a list. */
function specsOf(list: string): string[] {
  return list
    .split(",")
    .map((spec) => spec.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((spec) => spec !== "");
}

function rangeOf(spec: string, size: number): ByteRange | "malformed" | "unsatisfiable" {
  const [matched, first = "", last = "", suffix] = rangeSpec.exec(spec) ?? [];
  if (matched === undefined) return "malformed";
  if (suffix !== undefined) return cut(Math.max(0, size - Number(suffix)), size - 1, size);
  if (last !== "" && Number(last) < Number(first)) return "malformed";
  return cut(Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1), size);
}

function cut(start: number, end: number, size: number): ByteRange | "unsatisfiable" {
  return start < size ? { start, end } : "unsatisfiable";
}

import type { IncomingHttpHeaders } from "node:http";
import { isNamedBy } from "./entity-tags.ts";

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

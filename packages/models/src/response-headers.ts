type Headers = Readonly<Record<string, string>>;

const maxRetryAfterMs = 24 * 3_600_000;

/** Reads `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. At most a day; undefined when unreadable. */
export function readRetryAfterMs(headers: Headers | undefined, nowMs: number): number | undefined {
  const milliseconds = numberOf(headers?.["retry-after-ms"]);
  if (milliseconds !== undefined) return clampRetryAfterMs(milliseconds);
  const text = headers?.["retry-after"];
  const seconds = numberOf(text);
  if (seconds !== undefined) return clampRetryAfterMs(seconds * 1000);
  const date = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? undefined : clampRetryAfterMs(date - nowMs);
}

/** The provider's id of the request, if it looks like an id. */
export function readRequestId(headers: Headers | undefined): string | undefined {
  const id = headers?.["x-request-id"] ?? headers?.["request-id"];
  return id !== undefined && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

/** A delay that a client can be asked to wait: 0 to a day, in whole milliseconds. */
export function clampRetryAfterMs(milliseconds: number): number {
  return Math.min(Math.max(Math.round(milliseconds), 0), maxRetryAfterMs);
}

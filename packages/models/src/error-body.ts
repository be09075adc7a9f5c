import { isPlainObject } from "@muster/language";
import { clampRetryAfterMs } from "./response-headers.ts";

/** The facts in an error that a provider sent. */
export interface ErrorBody {
  statusCode?: number;
  /** The provider's name for the failure. */
  errorName?: string;
  /** More specific names, such as Google's `API_KEY_INVALID`. */
  reasons?: string[];
  /** The provider's words. */
  said?: string;
  retryAfterMs?: number;
}

/** Reads `{message, type, code, status, details}`, alone or under `error`: the shape that all providers share. */
export function readErrorBody(body: unknown): ErrorBody {
  if (typeof body === "string") return { said: body };
  if (!isPlainObject(body)) return {};
  const inner = isPlainObject(body.error) ? body.error : body;
  const statusCode = [inner.statusCode, inner.code, inner.status].map(Number).find(isStatusCode);
  // `type` is often just "error"; `code` and `status` are more specific if they are words.
  const errorName = [inner.code, inner.type, inner.status].find(isName);
  // xAI sends its message as `error`.
  const said = [inner.message, inner.error].find((value) => typeof value === "string");
  return {
    ...(statusCode !== undefined && { statusCode }),
    ...(errorName !== undefined && { errorName }),
    ...(said !== undefined && { said }),
    ...readDetails(inner.details ?? (isPlainObject(inner.data) ? inner.data.details : undefined)),
  };
}

/** A body as JSON; undefined if it is too large for an error or not JSON. */
export function parseBody(text: string | undefined): unknown {
  if (text === undefined || text.length > 100_000) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, as from a proxy in between: an HTML page does not help users.
    return undefined;
  }
}

/** Google's `ErrorInfo` has a reason, its `RetryInfo` a delay such as `34.07s`. */
function readDetails(details: unknown): Pick<ErrorBody, "reasons" | "retryAfterMs"> {
  if (!Array.isArray(details)) return {};
  const records = details.filter(isPlainObject);
  const reasons = records.map(({ reason }) => reason).filter(isName);
  const delay = records.map(({ retryDelay }) => retryDelay).find((value) => typeof value === "string");
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delay ?? "")?.[1];
  return {
    ...(reasons.length > 0 && { reasons }),
    ...(seconds !== undefined && { retryAfterMs: clampRetryAfterMs(Number(seconds) * 1000) }),
  };
}

function isStatusCode(value: number): boolean {
  return Number.isInteger(value) && value >= 400 && value <= 599;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "error" && /^[A-Za-z][\w.-]{0,63}$/.test(value);
}

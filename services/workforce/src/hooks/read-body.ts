import { findJsonProblem, isJsonObject, isJsonValue, type JsonValue } from "@muster/language";
import { isLarge, nextTurn, parseInSlices, turnIfSpent } from "@muster/large-data";
import { invalidRequest } from "@muster/rpc";
import type { Posted } from "./verify-delivery.ts";

export const maxBodyBytes = 1024 * 1024;
/** A shorter text may be part of others by chance. */
const minMaskedLength = 16;
const decoder = new TextDecoder("utf-8", { fatal: true });

export interface ReadBody {
  value: JsonValue;
  /** The same as JSON. */
  text: string;
}

/**
 * The content of a delivery: JSON, also in the field `payload` of a form, or the fields of another form. Throws
 * INVALID_REQUEST.
 */
export async function readBody({ headers, body }: Posted): Promise<ReadBody> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers["content-type"] ?? "");
  const sent = decoded(body);
  if (!isForm) return { value: await parseBody(sent), text: sent };
  const fields = new URLSearchParams(sent);
  const payload = fields.get("payload");
  if (payload !== null) return { value: await parseBody(payload), text: payload };
  const text = JSON.stringify(Object.fromEntries(fields));
  return { value: await parseBody(text), text };
}

function decoded(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw invalidRequest("body", "must be UTF-8");
  }
}

/** Also of a stored body. Large text does not block the main loop. Throws INVALID_REQUEST. */
export async function parseBody(text: string): Promise<JsonValue> {
  const value = await parse(text);
  if (isJsonValue(value)) return value;
  throw invalidRequest("body", findJsonProblem(value) ?? "must be JSON");
}

async function parse(text: string): Promise<unknown> {
  try {
    if (isLarge(text)) {
      const value: unknown = await parseInSlices(text);
      await nextTurn();
      return value;
    }
    await turnIfSpent();
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidRequest("body", "must be JSON, or a form");
  }
}

/** The text that Slack expects back when it checks a URL. */
export function challengeIn(value: JsonValue): string | undefined {
  if (!isJsonObject(value) || value.type !== "url_verification") return undefined;
  return typeof value.challenge === "string" ? value.challenge : undefined;
}

/** The JSON without these secrets, and without the token that Slack puts into each body. */
export function masked({ value, text }: ReadBody, secrets: readonly string[]): string {
  const token = isJsonObject(value) && typeof value.token === "string" ? [value.token] : [];
  const found = [...secrets, ...token].filter(
    (each) => each.length >= minMaskedLength && text.includes(each),
  );
  if (found.length === 0) return text;
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "string" ? found.reduce((rest, each) => rest.replaceAll(each, "…"), item) : item,
  );
}

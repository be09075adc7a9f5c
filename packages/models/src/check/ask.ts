import { codesOf } from "../error-codes.ts";
import type { Question } from "./questions.ts";

/** What came back. */
export type Answer =
  | { kind: "answered"; status: number; text: string; isWhole: boolean }
  | { kind: "silent" }
  /** A header cannot hold the key. */
  | { kind: "unsendable" }
  /** `code` is a word of the system, such as ECONNREFUSED. */
  | { kind: "failed"; code?: string };

// A list of models has a few kilobytes; a gateway may list thousands, of which the beginning tells enough.
const maxBytes = 64 * 1024;

/** Asks once. Follows no redirect, because the key would go where it leads. Never throws. */
export async function ask(
  question: Question,
  fetch: typeof globalThis.fetch,
  timeoutMs: number,
): Promise<Answer> {
  const { url, headers } = question;
  if (!canBeSent(headers)) return { kind: "unsendable" };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const { status, body } = await fetch(url, { headers, signal, redirect: "manual" });
    return { kind: "answered", status, ...(await readStart(body)) };
  } catch (error) {
    if (signal.aborted) return { kind: "silent" };
    // Not its message, which may hold the address.
    const code = codeOf(error);
    return { kind: "failed", ...(code !== undefined && { code }) };
  }
}

function canBeSent(headers: Record<string, string>): boolean {
  // What fetch refuses; it would put the value into its message.
  return !Object.values(headers).some((value) => /[^\t\x20-\x7e\x80-\xff]/.test(value));
}

/** Leaving the loop gives the rest of the body up. */
async function readStart(body: Response["body"]): Promise<{ text: string; isWhole: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    text += decoder.decode(chunk, { stream: true });
    if (bytes > maxBytes) return { text: text.slice(0, maxBytes), isWhole: false };
  }
  return { text: text + decoder.decode(), isWhole: true };
}

/** A word of the system, not what a library may have put together. */
function codeOf(error: unknown): string | undefined {
  return codesOf(error).find((code) => /^[A-Z][A-Z0-9_]{2,60}$/.test(code));
}

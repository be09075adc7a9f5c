import { codesOf } from "../error-codes.ts";
import type { Question } from "./question-for.ts";

/** The outcome of asking a provider. */
export type Answer =
  | { kind: "answered"; status: number; text: string; isWhole: boolean }
  | { kind: "silent" }
  /** The key contains characters that a header cannot contain. */
  | { kind: "unsendable" }
  /** `code` is a system error code, such as ECONNREFUSED. */
  | { kind: "failed"; code?: string };

// A list of models has a few kilobytes; a gateway may list thousands, and the beginning is enough.
const maxBytes = 64 * 1024;

/** Asks once. Follows no redirect, because the key would be sent to its target. Never throws. */
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
    // Not its message, which may contain the address.
    const code = codeOf(error);
    return { kind: "failed", ...(code !== undefined && { code }) };
  }
}

function canBeSent(headers: Record<string, string>): boolean {
  // fetch refuses such values and would quote them in its message.
  return !Object.values(headers).some((value) => /[^\t\x20-\x7e\x80-\xff]/.test(value));
}

/** Leaving the loop cancels the rest of the body. */
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

/** A code of the operating system or of Node, never text that a library has composed. */
function codeOf(error: unknown): string | undefined {
  return codesOf(error).find((code) => /^[A-Z][A-Z0-9_]{2,60}$/.test(code));
}

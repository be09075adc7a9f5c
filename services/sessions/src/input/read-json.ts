import { findJsonProblem, isJsonValue, type JsonResult, type JsonValue, parseJson } from "@muster/language";
import { isLarge, nextTurn, parseInSlices, turnIfSpent } from "@muster/large-data";
import { keepText } from "../store/state-text.ts";

/**
 * Parses untrusted text like `parseJson`, in a tick that has time for it; large text in slices, so that it does not
 * block the main loop.
 */
export async function readJson(text: string): Promise<JsonResult<JsonValue>> {
  if (!isLarge(text)) {
    // Shorter text may take tens of milliseconds as well, and many may arrive in one moment.
    await turnIfSpent();
    return parseJson(text);
  }
  try {
    const value = await parseInSlices(text);
    await nextTurn();
    if (!isJsonValue(value)) return { ok: false, problem: findJsonProblem(value) ?? "must be JSON" };
    keepText(value, text);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, problem: "must be valid JSON" };
    throw error;
  }
}

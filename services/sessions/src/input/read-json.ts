import { isLarge, parseInSlices } from "@muster/large-data";
import { findJsonProblem, isJsonValue, type JsonResult, type JsonValue, parseJson } from "@muster/protocol";

/** Parses untrusted text like `parseJson`; large text in slices, so that it does not hold the main loop. */
export async function readJson(text: string): Promise<JsonResult<JsonValue>> {
  if (!isLarge(text)) return parseJson(text);
  try {
    const value = await parseInSlices(text);
    if (isJsonValue(value)) return { ok: true, value };
    return { ok: false, problem: findJsonProblem(value) ?? "must be JSON" };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, problem: "must be valid JSON" };
    throw error;
  }
}

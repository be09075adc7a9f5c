import { isJsonObject, type JsonValue } from "@muster/language";
import type { Issues } from "@muster/rpc";
import { readJson } from "./read-json.ts";

/** Ids in restored messages have the same limit. */
export const maxIdLength = 200;

export function checkId(issues: Issues, path: string, id: string): void {
  issues.checkLength(path, id, { min: 1, max: maxIdLength });
}

/** Empty text means {}. */
export async function readObject(
  issues: Issues,
  path: string,
  text: string,
): Promise<Record<string, JsonValue>> {
  if (text === "") return {};
  const parsed = await readJson(text);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  issues.add(path, parsed.ok ? "must be a JSON object" : parsed.problem);
  return {};
}

import { type JsonValue, parseJsonObject } from "@muster/protocol";
import type { Issues } from "@muster/rpc";

/** Ids in restored messages have the same limit. */
export const maxIdLength = 200;

export function checkId(issues: Issues, path: string, id: string): void {
  issues.checkLength(path, id, { min: 1, max: maxIdLength });
}

/** Empty text means {}. */
export function readObject(issues: Issues, path: string, text: string): Record<string, JsonValue> {
  if (text === "") return {};
  const parsed = parseJsonObject(text);
  if (parsed.ok) return parsed.value;
  issues.add(path, parsed.problem);
  return {};
}

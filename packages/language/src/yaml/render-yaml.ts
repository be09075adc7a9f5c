import { stringify } from "yaml";
import type { JsonObject } from "../values/json.ts";

/** Writes a value in block style: equal values, with their keys in the same order, produce equal texts. */
export function renderYaml(value: JsonObject): string {
  return stringify(value, { schema: "core", lineWidth: 0, aliasDuplicateObjects: false });
}

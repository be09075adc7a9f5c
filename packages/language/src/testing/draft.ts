import type { DefinitionSource } from "../source.ts";
import type { JsonValue } from "../values/json.ts";

/** A generated definition before it is written as text. */
export interface Draft extends Omit<DefinitionSource, "protocol"> {
  readonly protocol: JsonValue;
}

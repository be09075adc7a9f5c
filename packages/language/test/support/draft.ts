import type { DefinitionSource } from "../../src/source.ts";
import type { JsonValue } from "../../src/values/json.ts";

/** A generated definition before it is written as text. */
export interface Draft extends Omit<DefinitionSource, "protocol"> {
  readonly protocol: JsonValue;
}

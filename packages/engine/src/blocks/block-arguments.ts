import type { ArgumentSource, JsonObject, JsonValue } from "@muster/language";
import { readVariable } from "../turn/scope.ts";
import type { Turn } from "../turn/turn.ts";

/** Variables without a value are left out, so that optional parameters stay absent. */
export function readArguments(
  turn: Turn,
  input: ReadonlyArray<{ readonly name: string } & ArgumentSource>,
): JsonObject {
  const args: Record<string, JsonValue> = {};
  for (const argument of input) {
    const value = "literal" in argument ? argument.literal : readVariable(turn, argument.source);
    if (value !== undefined) args[argument.name] = value;
  }
  return args;
}

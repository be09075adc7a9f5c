import { isJsonObject, type JsonObject, type JsonValue } from "@muster/language";

/**
 * Clients and providers accept objects only. Arguments of a call that a model broke off are kept as text in one;
 * conversations that earlier releases stored contain the text alone.
 */
export function asObject(args: JsonValue): JsonObject {
  return isJsonObject(args) ? args : { invalidArguments: args };
}

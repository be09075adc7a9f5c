import type { JsonValue, Program, VariableSpec } from "@muster/language";
import type { Conversation, StoredMessage } from "./conversation.ts";

/** A conversation whose variables and resources have their defaults. */
export function newConversation(program: Program, messages: StoredMessage[] = []): Conversation {
  return { messages, variables: defaultsOf(program.variables), resources: defaultsOf(program.resources) };
}

function defaultsOf(specs: Readonly<Record<string, VariableSpec>>): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(specs).flatMap(([name, spec]) =>
      spec.default === undefined ? [] : [[name, spec.default]],
    ),
  );
}

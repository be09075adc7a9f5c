import { type JsonValue, mapInput, type PromptUse, renderTemplate } from "@muster/language";
import type { Turn } from "./turn.ts";

/**
 * Reads a name: trigger input hides the session's values; a variable or resource that was never written has its
 * default. Undefined means no value, which prompts render as NONE.
 */
export function readVariable(turn: Turn, name: string): JsonValue | undefined {
  const { program, conversation } = turn;
  for (const values of [
    turn.frame.triggerInput,
    turn.sessionInput,
    conversation.variables,
    conversation.resources,
  ]) {
    if (Object.hasOwn(values, name)) return values[name];
  }
  for (const specs of [program.variables, program.resources, program.input]) {
    if (Object.hasOwn(specs, name)) return specs[name]?.default;
  }
  return undefined;
}

export function writeVariable(turn: Turn, name: string | undefined, value: JsonValue): void {
  if (name !== undefined) turn.conversation.variables[name] = value;
}

export function renderPrompt(turn: Turn, { template, input }: PromptUse): string {
  return renderTemplate(
    template,
    mapInput(input, (name) => readVariable(turn, name)),
  );
}

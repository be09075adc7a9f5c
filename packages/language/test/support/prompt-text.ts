import type { Choices } from "./choices.ts";
import { anyText } from "./words.ts";

const names = ["A", "NAME", "USER_MESSAGE", "NULL", "NOT_MAPPED"] as const;

/** A prompt with placeholders, conditionals and includes of the given prompts. */
export function writePrompt(choices: Choices, includable: readonly string[], depth = 0): string {
  const parts = Array.from({ length: choices.below(5) }, () => part(choices, includable, depth));
  return parts.join("");
}

function part(choices: Choices, includable: readonly string[], depth: number): string {
  const inner = () => writePrompt(choices, includable, depth + 1);
  switch (choices.below(depth > 3 ? 3 : 4)) {
    case 0:
      return `{{${choices.pick(["", " "])}${choices.pick(names)}}}`;
    case 1: {
      const name = choices.pick(includable);
      return name === undefined ? "" : `{{@${name}${choices.pick(["", ".md"])}}}`;
    }
    case 2:
      return anyText(choices).replace(/[{}]/g, "");
    default: {
      const more = choices.chance(50) ? `{{else if ${condition(choices)}}}${inner()}` : "";
      const rest = choices.chance(50) ? `{{else}}${inner()}` : "";
      return `{{#if ${condition(choices)}}}${inner()}${more}${rest}{{/if}}`;
    }
  }
}

function condition(choices: Choices): string {
  const name = choices.pick(names);
  const text = anyText(choices).replace(/[{}"]/g, "");
  return choices.pick([name, `!${name}`, `${name} == "${text}"`, `${name} != "${text}"`]);
}

import { isName, type NameKind } from "../../src/names/names.ts";
import type { Choices } from "./choices.ts";
import { hostilePieces } from "./strings.ts";

// Includes text that YAML reads as a number, a boolean or null unless it is quoted.
const dashed = [
  "order",
  "12",
  "true",
  "null",
  "off",
  "yes",
  "n",
  "1e3",
  "0",
  "get-user-account",
  "0o17",
] as const;
const upper = ["NAME", "NULL", "TRUE", "OFF", "Y", "NO", "USER_MESSAGE", "A", "CONSTRUCTOR", "E1"] as const;
const pascal = ["Order", "Null", "True", "Yes", "Line2", "N", "Object", "String"] as const;
const camel = [
  "orderId",
  "null",
  "true",
  "yes",
  "id",
  "type",
  "description",
  "items",
  "anyOf",
  "length",
] as const;
// Never a whole number: objects put such keys first, and the order of blocks matters.
const free = [
  "Answer the user",
  "null",
  "3.0",
  "- a",
  "a: b",
  "#1",
  "Grüße 👋🏽",
  "[x]",
  "it's",
  "{{A}}",
  "toString",
] as const;

/** A valid name of a kind that is not in `taken` yet; adds it there. */
export function newName(kind: NameKind, choices: Choices, taken: Set<string>): string {
  for (;;) {
    const name = candidate(kind, choices);
    if (taken.has(name) || !isName(kind, name)) continue;
    taken.add(name);
    return name;
  }
}

function candidate(kind: NameKind, choices: Choices): string {
  const tail = choices.chance(50) ? "" : `${choices.below(1_000)}`;
  switch (kind) {
    case "variable":
      return `${choices.pick(upper)}${tail}`;
    case "type":
      return `${choices.pick(pascal)}${tail}`;
    case "property":
    case "parameter":
      return `${choices.pick(camel)}${tail}`;
    case "block":
      return `${choices.pick(free)}${tail}`;
    case "toolPattern":
      return choices.pick(["*", "run_command", "delete_*", "*-x_*"]);
    case "prompt":
    case "reference":
      return `${choices.chance(30) ? "flows/" : ""}${choices.pick(dashed)}${tail}`;
    default:
      return `${choices.pick(dashed)}${tail}`;
  }
}

/** Text with everything in it that could be mistaken for something else. */
export function anyText(choices: Choices): string {
  const parts = Array.from({ length: choices.below(5) }, () => choices.pick(hostilePieces));
  return parts.join("");
}

export function nonEmptyText(choices: Choices): string {
  return `${choices.pick(["Text", "Ein Satz.", "世界", "- a", "1"])}${anyText(choices)}`;
}

import type { YAMLError } from "yaml";
import { definitionLimits } from "../definition-limits.ts";

/** Why a text is not usable YAML, and where. */
export class YamlProblem extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The library describes the syntax error; in these cases, authors most often meant text. */
export function explained({ code, message }: YAMLError): string {
  switch (code) {
    case "BLOCK_AS_IMPLICIT_KEY":
      return "A colon followed by a space starts a map, which is not allowed here. Put text that contains it in quotes.";
    case "NON_STRING_KEY":
      return `A key must be text. ${inQuotes("{ or [")}`;
    case "TAG_RESOLVE_FAILED":
      return `Tags are not allowed. ${inQuotes("!")}`;
    case "BAD_SCALAR_START":
      return `${sentence(message)} Put it in quotes.`;
    default:
      return sentence(message);
  }
}

export function inQuotes(start: string): string {
  return `Text that starts with ${start} needs quotes.`;
}

export function sentence(message: string): string {
  const text = message.split("\n", 1)[0]?.trim() ?? "";
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

export function tooDeep(offset: number): YamlProblem {
  return new YamlProblem(`At most ${definitionLimits.depth} levels of nesting are allowed.`, offset);
}

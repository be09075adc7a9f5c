import type { Diagnostic } from "../index.ts";

/** A diagnostic of the compiler as an issue of an error or a report. */
export function issueOf({ suggestions, ...diagnostic }: Diagnostic) {
  return suggestions === undefined ? diagnostic : { ...diagnostic, suggestions: [...suggestions] };
}

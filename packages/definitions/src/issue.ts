import type { Diagnostic } from "@muster/protocol";
import type { IssueInput } from "@muster/rpc";

/** A diagnostic of the compiler as an issue of an error or a report. */
export function issueOf({ suggestions, ...diagnostic }: Diagnostic): IssueInput {
  return suggestions === undefined ? diagnostic : { ...diagnostic, suggestions: [...suggestions] };
}

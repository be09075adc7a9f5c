import { Reason } from "@muster/proto/errors";
import { type Diagnostic, findOversize } from "@muster/protocol";
import { type IssueInput, rpcError } from "@muster/rpc";
import type { AgentsContext } from "../context.ts";
import type { DefinitionParts } from "./parse.ts";

/** Throws TOO_LARGE or INVALID_DEFINITION, with everything that is wrong, unless the definition can be stored. */
export async function requireSound(context: AgentsContext, definition: DefinitionParts): Promise<void> {
  const oversize = findOversize(definition);
  if (oversize !== undefined) throw rpcError(Reason.TOO_LARGE, oversize.message, { issues: [oversize] });
  const errors = await context.checker.errorsOf(definition);
  if (errors.length === 0) return;
  const count = errors.length === 1 ? "an error" : `${errors.length} errors`;
  throw rpcError(Reason.INVALID_DEFINITION, `The definition has ${count}; see issues.`, {
    issues: errors.map(toIssue),
  });
}

function toIssue({ suggestions, ...diagnostic }: Diagnostic): IssueInput {
  return suggestions === undefined ? diagnostic : { ...diagnostic, suggestions: [...suggestions] };
}

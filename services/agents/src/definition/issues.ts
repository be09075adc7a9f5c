import type { Diagnostic } from "@muster/language";
import { issueOf } from "@muster/language/messages";
import type { IssueInput } from "@muster/rpc";

/** Errors travel in headers, which silently truncate anything much longer. */
const maxErrorBytes = 22 * 1024;

/**
 * The diagnostics in the form that is sent. If there are errors, the list has to fit into the failure of a create. It
 * is truncated for all RPCs alike, errors last, so that validation reports the same.
 */
export function toIssues(diagnostics: readonly Diagnostic[]): IssueInput[] {
  const issues = diagnostics.map(issueOf);
  if (!issues.some(isError)) return issues;
  const kept = new Set<IssueInput>();
  let bytes = 0;
  for (const issue of [...issues.filter(isError), ...issues.filter((other) => !isError(other))]) {
    bytes += Buffer.byteLength(JSON.stringify(issue)) + 1;
    if (bytes > maxErrorBytes) break;
    kept.add(issue);
  }
  const left = issues.length - kept.size;
  return left === 0 ? issues : [...issues.filter((issue) => kept.has(issue)), more(left)];
}

export function isError({ severity }: IssueInput): boolean {
  return severity === "error";
}

/** "At least", because the compiler also limits its list. */
function more(left: number): IssueInput {
  const message = `At least ${left} more issues were found; fix these first.`;
  return { code: "LIMIT_EXCEEDED", path: "", message, severity: "error" };
}

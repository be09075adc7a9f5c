import type { CliError } from "./exit.ts";
import type { Output } from "./output.ts";

/** Prints `Error: message (CODE, requestId)` the issues and the hint to standard error. */
export function showFailure(error: CliError, out: Output): void {
  const { code, requestId, message, issues, hint } = error;
  // The user's own no is not an error.
  if (code === "ABORTED") {
    out.note(message);
    return;
  }
  const origin = requestId === undefined ? code : `${code}, ${requestId}`;
  out.note(`${out.noteStyle("red", "Error:")} ${message} ${out.noteStyle("dim", `(${origin})`)}`);
  for (const { path, message: detail, code: kind } of issues) {
    const label = kind === undefined ? "" : `${kind} `;
    out.note(`  ${label}${path === "" ? "" : `${path}: `}${detail}`);
  }
  if (hint !== undefined) out.hint(hint);
}

/** The failure as a document for `--json`. */
export function failureDocument({
  message,
  code,
  requestId,
  status,
  issues,
}: CliError): Record<string, unknown> {
  return {
    error: message,
    code,
    ...(requestId === undefined ? {} : { requestId }),
    ...(status === undefined ? {} : { status }),
    ...(issues.length === 0 ? {} : { issues }),
  };
}

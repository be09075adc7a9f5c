import type { CliError } from "./exit.ts";
import type { Output } from "./output.ts";

/** `error (CODE, requestId)` with what is wrong in detail, on standard error. */
export function showFailure(error: CliError, out: Output): void {
  const { code, requestId, message, issues } = error;
  const origin = requestId === undefined ? code : `${code}, ${requestId}`;
  out.note(`${out.noteStyle("red", "Error:")} ${message} ${out.noteStyle("dim", `(${origin})`)}`);
  for (const { path, message: detail, code: kind } of issues) {
    const label = kind === undefined ? "" : `${kind} `;
    out.note(`  ${label}${path === "" ? "" : `${path}: `}${detail}`);
  }
}

/** The failure as `--json` shows it. */
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

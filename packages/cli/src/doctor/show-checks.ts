import type { Output } from "../output.ts";

export interface Check {
  /** `server`, `ready`, `version`, `files`, `clock`, `key`, `computers`, or `provider`, `computer` or `mcp` and its name. */
  readonly name: string;
  /** `off`: not configured, which is not a failure. */
  readonly status: "ok" | "off" | "failed";
  readonly message: string;
}

const styles = { ok: "green", off: "dim", failed: "red" } as const;

export function showChecks(out: Output, checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, status, message } of checks)
    out.line(`${out.style(styles[status], status.padEnd(6))}  ${name.padEnd(width)}  ${message}`);
}

import type { Finding } from "../definition/findings.ts";
import type { Output } from "../output.ts";

const styles = { error: "red", warning: "yellow", info: "cyan" } as const;

/** One line for each finding, in the format of compilers, and a summary line. */
export function textLines(findings: readonly Finding[], what: string, style: Output["style"]): string[] {
  const lines = findings.map(({ file, line, column, severity, code, message }) => {
    const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
    return `${place}: ${style(styles[severity], severity)} ${code}: ${message}`;
  });
  return [...lines, `${what}: ${summary(findings)}`];
}

export function summary(findings: readonly Finding[]): string {
  const count = (severity: Finding["severity"], one: string, many: string) => {
    const number = findings.filter((finding) => finding.severity === severity).length;
    return number === 0 ? [] : [`${number} ${number === 1 ? one : many}`];
  };
  const counts = [
    ...count("error", "error", "errors"),
    ...count("warning", "warning", "warnings"),
    ...count("info", "note", "notes"),
  ];
  return counts.length === 0 ? "no problems" : counts.join(", ");
}

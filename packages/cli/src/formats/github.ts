import type { Finding } from "../definition/findings.ts";

const levels = { error: "error", warning: "warning", info: "notice" } as const;

/** The workflow command that makes GitHub annotate a line of a file. */
export function githubCommand({ file, line, column, severity, code, message }: Finding): string {
  const properties: Array<[string, string | number | undefined]> = [
    ["file", file],
    ["line", line],
    ["col", column],
    ["title", code],
  ];
  const given = properties.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeProperty(String(value))}`],
  );
  return `::${levels[severity]} ${given.join(",")}::${escapeData(message)}`;
}

/** Escapes the text after the second `::`. */
export function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Escapes the value of a property, which a comma or colon would end. */
export function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

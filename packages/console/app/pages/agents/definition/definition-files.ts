import type { Agent, Diagnostic } from "@muster/client";

/** An agent without its id. */
export type Definition = Omit<Agent, "id">;

/** A part of a definition that is edited alone, named as in a folder of `muster agents pull`. */
export interface DefinitionFile {
  name: string;
  /** Where diagnostics about it begin: `prompts.0`. */
  path: string;
  language: "yaml" | "markdown" | "none";
  text: string;
}

export const protocolFile = "protocol.yaml";
export const settingsFile = "settings.json";

export function filesOf({ settings, protocol, prompts, references }: Definition): DefinitionFile[] {
  const markdown =
    (kind: "prompts" | "references") => (each: { name: string; content: string }, index: number) => ({
      name: `${kind}/${each.name}.md`,
      path: `${kind}.${index}`,
      language: "markdown" as const,
      text: each.content,
    });
  return [
    { name: protocolFile, path: "protocol", language: "yaml", text: protocol },
    { name: settingsFile, path: "settings", language: "none", text: JSON.stringify(settings, null, 2) },
    ...prompts.map(markdown("prompts")),
    ...references.map(markdown("references")),
  ];
}

/** The definition with another text of a file. Settings have a form instead, see `SettingsForm`. */
export function withText(definition: Definition, { path }: DefinitionFile, text: string): Definition {
  if (path === "protocol") return { ...definition, protocol: text };
  const replaced = <Item extends { content: string }>(kind: string, items: readonly Item[]): Item[] =>
    items.map((item, index) => (path === `${kind}.${index}` ? { ...item, content: text } : item));
  return {
    ...definition,
    prompts: replaced("prompts", definition.prompts),
    references: replaced("references", definition.references),
  };
}

/** Without an id: the body that checks it, and what the compiler reads. */
export function bodyOf({ settings, protocol, prompts, references }: Definition): Definition {
  return { settings, protocol, prompts, references };
}

export function isSame(one: Definition, other: Definition): boolean {
  return JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(other));
}

/** The parts that an update has to send. */
export function changesOf(before: Definition, after: Definition) {
  const { slug: _slug, description = "", ...settings } = after.settings;
  const differs = (part: keyof Definition) => JSON.stringify(before[part]) !== JSON.stringify(after[part]);
  return {
    ...(differs("settings") && { settings: { ...settings, description } }),
    ...(differs("protocol") && { protocol: after.protocol }),
    ...(differs("prompts") && { prompts: after.prompts }),
    ...(differs("references") && { references: after.references }),
  };
}

export type Issue = Pick<Diagnostic, "code" | "path" | "message" | "severity" | "suggestions">;

/** A diagnostic with the file that it is about, and the place there. */
export interface Located extends Issue {
  file: string;
  /** Both begin with 1. Absent: the message names no place. */
  position: { line: number; column: number } | undefined;
  /** The text that `suggestions` replace. */
  wrong: string | undefined;
}

export function locate(issue: Issue, files: readonly DefinitionFile[]): Located {
  const { path, message } = issue;
  const file = files.find((each) => path === each.path || path.startsWith(`${each.path}.`)) ?? files[0];
  const [prefix = "", line, column] = /^Line (\d+), column (\d+): /.exec(message) ?? [];
  const [, quoted] = /"((?:[^"\\]|\\.)+)"/.exec(message) ?? [];
  return {
    ...issue,
    message: message.slice(prefix.length),
    file: file?.name ?? protocolFile,
    position: line === undefined ? undefined : { line: Number(line), column: Number(column) },
    wrong: quoted,
  };
}

/** The offset of a place in a text, which may have become shorter. */
export function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return Math.min(start + column - 1, text.length);
}

/** Where the text that a suggestion replaces is; undefined if the place shows something else by now. */
export function wrongRange(
  text: string,
  { position, wrong }: Located,
): { from: number; to: number } | undefined {
  if (position === undefined || wrong === undefined) return undefined;
  const at = offsetOf(text, position);
  const from = /["']/.test(text[at] ?? "") ? at + 1 : at;
  return text.startsWith(wrong, from) ? { from, to: from + wrong.length } : undefined;
}

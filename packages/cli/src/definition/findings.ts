import { join, relative, sep } from "node:path";
import type { FolderProblem } from "@muster/agent-folder";
import { promptPath, protocolFile, referencePath, settingsFile } from "@muster/agent-folder";
import type { DefinitionSource } from "@muster/protocol";
import type { Issue } from "../exit.ts";
import { isWithin } from "./place.ts";

export type Severity = "error" | "warning" | "info";

/** Something that is wrong with a file of an agent folder. */
export interface Finding {
  /** Relative to the base, with `/`; absolute when it is outside of it. */
  readonly file: string;
  /** Both count from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly severity: Severity;
  readonly code: string;
  /** Without the place. */
  readonly message: string;
  /** Inside the definition, such as `agent.model`; empty for what is wrong with the file itself. */
  readonly path: string;
}

/** Where a folder is, seen from where files are named. */
export interface Located {
  /** What files are relative to, absolute: the working directory, or the root of the repository. */
  readonly base: string;
  /** The agent folder, absolute. */
  readonly folder: string;
}

export const folderProblemCode = "INVALID_FOLDER";

export function findingOfProblem({ path, message }: FolderProblem, located: Located): Finding {
  const place = splitPlace(message);
  return { file: fileIn(located, path), ...place, severity: "error", code: folderProblemCode, path: "" };
}

/** `locateSetting` says where a key of settings.json stands. */
export function findingOfIssue(
  issue: Issue,
  definition: DefinitionSource,
  located: Located,
  locateSetting: (key: string) => { line: number; column: number } | undefined,
): Finding {
  const { path, code = "UNKNOWN", severity } = issue;
  const file = fileOfPath(path, definition);
  const setting = file === settingsFile ? locateSetting(path.split(".")[1] ?? "") : undefined;
  return {
    file: fileIn(located, file),
    ...setting,
    ...splitPlace(issue.message),
    severity: severity === "warning" || severity === "info" ? severity : "error",
    code,
    path,
  };
}

/** Which file a path of a diagnostic speaks of. */
function fileOfPath(path: string, { prompts, references }: DefinitionSource): string {
  const [section = "", index = ""] = path.split(".");
  const name = (items: ReadonlyArray<{ name: string }>) =>
    /^\d+$/.test(index) ? items[Number(index)]?.name : undefined;
  if (section === "settings") return settingsFile;
  if (section === "prompts") {
    const prompt = name(prompts);
    return prompt === undefined ? "prompts" : promptPath(prompt);
  }
  if (section === "references") {
    const reference = name(references);
    return reference === undefined ? "references" : referencePath(reference);
  }
  return protocolFile;
}

/** Diagnostics carry their place at the beginning of the message. */
function splitPlace(message: string): { line?: number; column?: number; message: string } {
  const [prefix = "", line, column] = /^Line (\d+), column (\d+): /.exec(message) ?? [];
  if (line === undefined || column === undefined) return { message };
  return { line: Number(line), column: Number(column), message: message.slice(prefix.length) };
}

function fileIn({ base, folder }: Located, path: string): string {
  const file = join(folder, path);
  const shown = isWithin(base, file) ? relative(base, file) || "." : file;
  return shown.split(sep).join("/");
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === "error");
}

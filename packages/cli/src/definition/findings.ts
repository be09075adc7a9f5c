import { join, relative, sep } from "node:path";
import type { DefinitionSource } from "@muster/language";
import type { FolderProblem } from "@muster/language/folder";
import { promptPath, referencePath, settingsFile } from "@muster/language/folder";
import type { Issue } from "../exit.ts";
import { isWithin, type Located } from "./place.ts";

export type Severity = "error" | "warning" | "info";

/** A problem in a file of an agent folder. */
export interface Finding {
  /** Relative to the base, with `/`; absolute if it is outside the base. */
  readonly file: string;
  /** Both count from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly severity: Severity;
  readonly code: string;
  /** Without the position. */
  readonly message: string;
  /** Inside the definition, such as `agent.model`; empty for a problem with the file itself. */
  readonly path: string;
}

export const folderProblemCode = "INVALID_FOLDER";

export function findingOfProblem({ path, message }: FolderProblem, located: Located): Finding {
  const place = splitPlace(message);
  return { file: fileIn(located, path), ...place, severity: "error", code: folderProblemCode, path: "" };
}

/** The data for finding the position of an issue. */
interface Source {
  readonly definition: DefinitionSource;
  /** `protocol.yaml` or `protocol.yml`. */
  readonly protocolPath: string;
  /** Returns the position of a key in settings.json. */
  readonly locateSetting: (key: string) => { line: number; column: number } | undefined;
}

export function findingOfIssue(issue: Issue, source: Source, located: Located): Finding {
  const { path, code = "UNKNOWN", severity } = issue;
  const file = fileOfPath(path, source);
  const setting = file === settingsFile ? source.locateSetting(path.split(".")[1] ?? "") : undefined;
  return {
    file: fileIn(located, file),
    ...setting,
    ...splitPlace(issue.message),
    severity: severity === "warning" || severity === "info" ? severity : "error",
    code,
    path,
  };
}

/** The file that the path of a diagnostic refers to. */
function fileOfPath(path: string, { definition: { prompts, references }, protocolPath }: Source): string {
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
  return protocolPath;
}

/** Diagnostics begin with their position. */
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

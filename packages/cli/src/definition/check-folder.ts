import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createCatalog } from "@muster/catalog";
import type { DefinitionSource } from "@muster/language";
import { compileDefinition } from "@muster/language/compile";
import { locateSetting, readAgentFolder, settingsFile } from "@muster/language/folder";
import type { Issue } from "../exit.ts";
import { type Finding, findingOfIssue, findingOfProblem } from "./findings.ts";
import type { Located } from "./place.ts";

export interface CheckedFolder {
  /** Undefined if the folder cannot be read as an agent folder. */
  readonly definition: DefinitionSource | undefined;
  readonly findings: readonly Finding[];
}

/** Asks a server for its issues, which include those that need its data. */
export type AskServer = (definition: DefinitionSource) => Promise<readonly Issue[]>;

/** Reads and compiles an agent folder, and assigns every problem to its file. */
export async function checkFolder(located: Located, askServer?: AskServer): Promise<CheckedFolder> {
  const read = await readAgentFolder(located.folder);
  if (!read.ok) {
    const findings = read.problems.map((problem) => findingOfProblem(problem, located));
    return { definition: undefined, findings };
  }
  const { definition, protocolPath } = read;
  const catalog = createCatalog();
  const modelIds = catalog.entries.map(({ id }) => id);
  const { issues } = compileDefinition(definition, { knowsModel: catalog.knows, modelIds });
  const all = withoutRepeats([...issues, ...((await askServer?.(definition)) ?? [])]);
  const settings = await readFile(join(located.folder, settingsFile), "utf8");
  const source = { definition, protocolPath, locateSetting: (key: string) => locateSetting(settings, key) };
  return { definition, findings: all.map((issue) => findingOfIssue(issue, source, located)) };
}

function withoutRepeats(issues: readonly Issue[]): Issue[] {
  const byText = new Map(
    issues.map((issue) => [JSON.stringify([issue.code, issue.path, issue.message]), issue]),
  );
  return [...byText.values()];
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { locateSetting, readAgentFolder, settingsFile } from "@muster/agent-folder";
import { createCatalog } from "@muster/catalog";
import { compileDefinition, type DefinitionSource } from "@muster/protocol";
import type { Issue } from "../exit.ts";
import { type Finding, findingOfIssue, findingOfProblem, type Located } from "./findings.ts";

export interface CheckedFolder {
  /** Undefined when the folder cannot be read as one. */
  readonly definition: DefinitionSource | undefined;
  readonly findings: readonly Finding[];
}

/** What a server finds beside what is found here; none when it is not asked. */
export type AskServer = (definition: DefinitionSource) => Promise<readonly Issue[]>;

/** Reads and compiles an agent folder; every problem is at its file. */
export async function checkFolder(located: Located, askServer?: AskServer): Promise<CheckedFolder> {
  const read = await readAgentFolder(located.folder);
  if (!read.ok) {
    const findings = read.problems.map((problem) => findingOfProblem(problem, located));
    return { definition: undefined, findings };
  }
  const { definition } = read;
  const catalog = createCatalog();
  const modelIds = catalog.entries.map(({ id }) => id);
  const { issues } = compileDefinition(definition, { knowsModel: catalog.knows, modelIds });
  const all = withoutRepeats([...issues, ...((await askServer?.(definition)) ?? [])]);
  const settings = await readFile(join(located.folder, settingsFile), "utf8");
  const locate = (key: string) => locateSetting(settings, key);
  return { definition, findings: all.map((issue) => findingOfIssue(issue, definition, located, locate)) };
}

function withoutRepeats(issues: readonly Issue[]): Issue[] {
  const byText = new Map(
    issues.map((issue) => [JSON.stringify([issue.code, issue.path, issue.message]), issue]),
  );
  return [...byText.values()];
}

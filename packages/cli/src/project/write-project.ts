import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isName, type JsonObject } from "@muster/language";
import { planAgentFolder, writeAgentFolder } from "@muster/language/folder";
import { isPlainObject } from "@muster/language/json";
import { renderYaml } from "@muster/language/yaml";
import { definitionOf as readDefinition } from "../api/agents.ts";
import { unwritable } from "../definition/written.ts";
import { failure } from "../exit.ts";
import { canonical, partsOf, type Resource } from "./plan-steps.ts";
import { agentsFolder, projectFile, unlessMissing } from "./read-project.ts";

/** The text of `muster.yaml` for these resources: the same for equal ones. */
export function renderProject(resources: readonly Resource[]): string {
  const inFile = resources.filter(({ kind }) => kind.section !== "agents");
  const sorted = inFile.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return renderYaml(sorted.reduce((tree, each) => put(tree, partsOf(each.name), canonical(each)), {}));
}

function put(tree: JsonObject, [first, ...rest]: readonly string[], fields: JsonObject): JsonObject {
  if (first === undefined) return { ...tree, ...fields };
  const inner = tree[first];
  return { ...tree, [first]: put(isPlainObject(inner) ? inner : {}, rest, fields) };
}

/** Writes `muster.yaml` and the folders of agents. Throws if there are others, unless `force` is set. Returns their paths. */
export async function writeProject(
  folder: string,
  resources: readonly Resource[],
  force: boolean,
): Promise<string[]> {
  const path = join(folder, projectFile);
  const text = renderProject(resources);
  const present = await unlessMissing(readFile(path, "utf8"));
  if (present !== undefined && present !== text && !force)
    throw failure(
      "CHANGED_LOCALLY",
      `${path} has other contents. To replace it and the agents, add --force.`,
    );
  const agents = resources.filter(({ kind }) => kind.section === "agents").map(agentFolderOf);
  if (!force) for (const agent of agents) await assertUnchanged(join(folder, agent.name), agent.definition);
  await mkdir(folder, { recursive: true });
  for (const { name, definition } of agents) {
    const result = await writeAgentFolder(join(folder, name), definition);
    if (!result.ok) throw unwritable(result.problems);
  }
  await writeFile(path, text);
  return [projectFile, ...agents.map(({ name }) => name)];
}

function agentFolderOf({ name, fields }: Resource) {
  // The slug becomes the name of a folder.
  if (!isName("slug", slugOf(name)))
    throw failure("INVALID_DEFINITION", `The slug ${slugOf(name)} is invalid.`);
  return { name: `${agentsFolder}/${slugOf(name)}`, definition: definitionOf(name, fields) };
}

/** Throws if writing the agent would replace or delete a file of the folder. */
async function assertUnchanged(folder: string, definition: ReturnType<typeof definitionOf>): Promise<void> {
  const plan = await planAgentFolder(folder, definition);
  if (!plan.ok) throw unwritable(plan.problems);
  if (plan.changes.some(({ kind }) => kind !== "create"))
    throw failure("CHANGED_LOCALLY", `${folder} has other contents. To replace the files, add --force.`);
}

function slugOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** The definition of an agent from its fields. */
export function definitionOf(
  name: string,
  { name: title = "", description = "", format = "", ...parts }: JsonObject,
) {
  return readDefinition({ settings: { slug: slugOf(name), name: title, description, format }, ...parts });
}

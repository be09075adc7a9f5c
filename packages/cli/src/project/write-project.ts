import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isName, type JsonObject } from "@muster/language";
import { writeAgentFolder } from "@muster/language/folder";
import { isPlainObject } from "@muster/language/json";
import { renderYaml } from "@muster/language/yaml";
import { definitionOf as readDefinition } from "../api/agents.ts";
import { unwritable } from "../definition/written.ts";
import { failure } from "../exit.ts";
import { canonical, partsOf, type Resource } from "./plan-steps.ts";
import { agentsFolder, projectFile } from "./read-project.ts";

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
  const present = await readFile(path, "utf8").catch(() => undefined);
  if (present !== undefined && present !== text && !force)
    throw failure(
      "CHANGED_LOCALLY",
      `${path} has other contents. To replace it and the agents, add --force.`,
    );
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  for (const { kind, name, fields } of resources) {
    if (kind.section !== "agents") continue;
    // The slug becomes the name of a folder.
    if (!isName("slug", slugOf(name)))
      throw failure("INVALID_DEFINITION", `The slug ${slugOf(name)} is invalid.`);
    const result = await writeAgentFolder(
      join(folder, agentsFolder, slugOf(name)),
      definitionOf(name, fields),
    );
    if (!result.ok) throw unwritable(result.problems);
    written.push(name);
  }
  await writeFile(path, text);
  return [projectFile, ...written];
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

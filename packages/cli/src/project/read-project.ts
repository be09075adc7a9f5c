import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isName, type JsonObject, type JsonValue, nameHint, Report } from "@muster/language";
import { type MapNode, parseYaml, type SyntaxNode } from "@muster/language/yaml";
import { checkFolder } from "../definition/check-folder.ts";
import { failure, type Issue } from "../exit.ts";
import { type Field, type Kind, kindOf, kinds } from "./kinds.ts";
import { type Resource, resourceName, secretNameOf } from "./plan-steps.ts";

/** The file of a project, beside its folder of agents. */
export const projectFile = "muster.yaml";
export const agentsFolder = "agents";

/**
 * The resources that a folder describes. Throws with every problem, each with its file and line. `isWhole`: missing
 * resources would be deleted, so that neither part of the folder may be missing.
 */
export async function readProject(folder: string, isWhole = false): Promise<Resource[]> {
  const issues: Issue[] = [];
  const agents = await readAgents(folder, issues);
  const others = await readOthers(join(folder, projectFile), issues);
  if (agents === undefined && others === undefined)
    throw failure("INVALID_PROJECT", `${folder} has neither ${projectFile} nor a folder ${agentsFolder}.`);
  if (isWhole && (agents === undefined || others === undefined))
    throw failure(
      "INVALID_PROJECT",
      `${folder} needs ${projectFile} and the folder ${agentsFolder} for --prune. Each can be empty.`,
    );
  if (issues.length > 0) throw failure("INVALID_PROJECT", "The project has errors.", { issues });
  return [...(agents ?? []), ...(others ?? [])];
}

async function readAgents(base: string, issues: Issue[]): Promise<Resource[] | undefined> {
  const entries = await unlessMissing(readdir(join(base, agentsFolder), { withFileTypes: true }));
  const found: Resource[] = [];
  for (const entry of entries ?? []) {
    if (!entry.isDirectory()) continue;
    const located = { base, folder: join(base, agentsFolder, entry.name) };
    const { definition, findings } = await checkFolder(located);
    for (const { severity, file, line, column, code, message } of findings) {
      if (severity !== "error") continue;
      const place = line === undefined ? "" : `Line ${line}, column ${column}: `;
      issues.push({ path: file, code, message: place + message });
    }
    if (definition === undefined) continue;
    const { slug, ...settings } = definition.settings;
    const { name: title, description = "", format } = settings;
    const { protocol, prompts, references } = definition;
    const fields = {
      ...{ name: title, description, format, protocol },
      prompts: prompts.map((prompt) => ({ ...prompt })),
      references: references.map((reference) => ({ ...reference })),
    };
    const name = `agents/${slug}`;
    if (found.some((each) => each.name === name))
      issues.push({ path: `${agentsFolder}/${entry.name}`, message: `Another folder has the slug ${slug}.` });
    found.push({ name, kind: kindOf("agents"), fields });
  }
  return entries && found;
}

async function readOthers(path: string, issues: Issue[]): Promise<Resource[] | undefined> {
  const text = await unlessMissing(readFile(path, "utf8"));
  if (text === undefined) return undefined;
  const report = new Report();
  const root = parseYaml(text, report);
  const found = root === undefined ? [] : new ProjectReader(report).read(root);
  issues.push(...report.list().map(({ code, message }) => ({ path: projectFile, code, message })));
  return found;
}

/** Undefined if the file or folder does not exist. */
export async function unlessMissing<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  return await reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

class ProjectReader {
  readonly #report: Report;
  readonly #found: Resource[] = [];

  constructor(report: Report) {
    this.#report = report;
  }

  read(root: SyntaxNode): Resource[] {
    const sections = kinds.filter(({ section, parent }) => section !== "agents" && parent === undefined);
    if (root.kind === "scalar" && root.value === null) return [];
    this.#eachMember(root, sections, (kind, node) => this.#section(kind, node));
    return this.#found;
  }

  #section(kind: Kind, node: SyntaxNode, within?: string): void {
    if (kind.section === "project") {
      this.#resource(kind, node, kind.section);
      return;
    }
    const map = this.#map(node);
    for (const [own, { key, value }] of map?.entries ?? []) {
      if (kind.name === "slug" && !isName("slug", own))
        this.#report.add("INVALID_NAME", key, `The name must be ${nameHint("slug")}.`);
      this.#resource(kind, value, resourceName(kind, own, within));
    }
  }

  #resource(kind: Kind, node: SyntaxNode, name: string): void {
    const children = kinds.filter(({ parent }) => parent === kind.section);
    const fields: Record<string, JsonValue> = {};
    const members = [
      ...Object.entries(kind.fields).map(([section, field]) => ({ section, field })),
      ...children.map((child) => ({ section: child.section, child })),
    ];
    const map = this.#eachMember(node, members, (member, value) => {
      if ("child" in member) this.#section(member.child, value, name);
      else fields[member.section] = this.#value(member.field, value);
    });
    for (const [field, { default: usual, optional }] of Object.entries(kind.fields)) {
      if (map === undefined || field in fields || usual !== undefined || optional) continue;
      this.#report.add("MISSING_FIELD", map, `The key ${field} is missing.`);
    }
    this.#found.push({ name, kind, fields });
  }

  #value(field: Field, node: SyntaxNode): JsonValue {
    const { members } = field;
    if (members !== undefined)
      this.#eachMember(
        node,
        members.map((section) => ({ section })),
        () => {},
      );
    const { secrets } = field;
    if (secrets === undefined || node.kind !== "map") this.#refuseSecrets(node);
    else
      for (const [name, { value }] of node.entries) {
        if (secrets === "all" || secrets.includes(name)) this.#requireSecret(value);
        else this.#refuseSecrets(value);
      }
    return jsonOf(node);
  }

  #requireSecret(node: SyntaxNode): void {
    if (node.kind === "map" && node.entries.size === 1 && secretNameOf(jsonOf(node)) !== undefined) return;
    this.#report.add(
      "WRONG_TYPE",
      node,
      "A secret must be { secretRef: env:NAME }, with the name of a variable.",
    );
  }

  /** Elsewhere, the server would return the secret, and a diff would show it. */
  #refuseSecrets(node: SyntaxNode): void {
    const children = node.kind === "map" ? [...node.entries.values()].map(({ value }) => value) : [];
    for (const child of node.kind === "list" ? node.items : children) this.#refuseSecrets(child);
    if (node.kind === "map" && node.entries.has("secretRef"))
      this.#report.add("WRONG_TYPE", node, "Only credentials can be a secretRef.");
  }

  #map(node: SyntaxNode): MapNode | undefined {
    if (node.kind === "map") return node;
    this.#report.add("WRONG_TYPE", node, "This must be a map.");
    return undefined;
  }

  /** Reports unknown keys, with the closest known one. */
  #eachMember<Member extends { section: string }>(
    node: SyntaxNode,
    members: readonly Member[],
    visit: (member: Member, value: SyntaxNode) => void,
  ): MapNode | undefined {
    const map = this.#map(node);
    for (const [name, { key, value }] of map?.entries ?? []) {
      const member = members.find(({ section }) => section === name);
      if (member !== undefined) visit(member, value);
      else {
        const among = members.map(({ section }) => section);
        this.#report.add("UNKNOWN_KEY", key, `Unknown key ${JSON.stringify(name)}.`, { name, among });
      }
    }
    return map;
  }
}

function jsonOf(node: SyntaxNode): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(jsonOf);
  const entries = [...node.entries].map(([name, { value }]): [string, JsonValue] => [name, jsonOf(value)]);
  return Object.fromEntries(entries) satisfies JsonObject;
}

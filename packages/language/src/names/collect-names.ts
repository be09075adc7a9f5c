import { type Place, quote, type Report } from "../diagnostics.ts";
import type { Format } from "../program.ts";
import type { DefinitionSource } from "../source.ts";
import { type MapEntry, type MapNode, type SyntaxNode, scalarAt } from "../yaml/syntax.ts";
import type { DeclaredNames, ThreadOpening, Variable } from "./declared-names.ts";
import { NameTable } from "./name-table.ts";

type Entries = ReadonlyMap<string, MapEntry>;

const none: Entries = new Map();

/** Collects every name, even if its declaration is invalid. */
export function collectNames(root: SyntaxNode, source: DefinitionSource, report: Report): DeclaredNames {
  const triggers = [...section(root, "triggers")].map(
    ([name, { value }]) => [name, section(value, "input")] as const,
  );
  return {
    prompts: named(source.prompts, "prompts"),
    references: named(source.references, "references"),
    tools: new NameTable(section(root, "tools")),
    workers: new NameTable(section(root, "workers")),
    mcpServers: new NameTable(section(root, "mcpServers")),
    skills: new NameTable(section(root, "skills")),
    threads: new NameTable(threads(root, source.settings.format)),
    session: new NameTable(sessionNames(root, report)),
    triggers: new Map(triggers.map(([name, input]) => [name, triggerNames(input)])),
    triggerOf: new Map(
      triggers.toReversed().flatMap(([name, input]) => [...input.keys()].map((key) => [key, name])),
    ),
  };
}

/** The entries of a section; none if it is absent or not a map. */
export function section(root: SyntaxNode, name: string): Entries {
  return entriesOf(root.kind === "map" ? root.entries.get(name)?.value : undefined);
}

function entriesOf(node: SyntaxNode | undefined): Entries {
  return node?.kind === "map" ? node.entries : none;
}

function named(items: ReadonlyArray<{ name: string }>, list: string): NameTable<Place> {
  return new NameTable(new Map(items.map(({ name }, index) => [name, { path: `${list}.${index}` }])));
}

/** A name that a prompt or block reads must be unambiguous. */
function sessionNames(root: SyntaxNode, report: Report): ReadonlyMap<string, Variable> {
  const names = new Map<string, Variable>();
  for (const list of ["input", "variables", "resources"] as const) {
    for (const [name, { key, value }] of section(root, list)) {
      if (names.has(name))
        report.add("DUPLICATE_KEY", key, `${quote(name)} is already declared in another section.`);
      else names.set(name, { section: list, key, declaration: value });
    }
  }
  return names;
}

function triggerNames(input: Entries): NameTable<Variable> {
  const entries = [...input];
  return new NameTable(
    new Map(entries.map(([name, { key, value }]) => [name, { section: "trigger", key, declaration: value }])),
  );
}

/** `main` exists in conversations; every other thread has a start-thread, in any handler or among the steps. */
function threads(root: SyntaxNode, format: Format): ReadonlyMap<string, ThreadOpening> {
  interface Opening {
    readonly configs: MapNode[];
    readonly openedBy: Map<string, number>;
  }
  const found = new Map<string, Opening>();
  const open = (name: string, config: SyntaxNode | undefined, owner: string, index: number) => {
    const thread: Opening = found.get(name) ?? { configs: [], openedBy: new Map() };
    if (config?.kind === "map") thread.configs.push(config);
    if (!thread.openedBy.has(owner)) thread.openedBy.set(owner, index);
    found.set(name, thread);
  };
  if (format === "interactive")
    open("main", root.kind === "map" ? root.entries.get("agent")?.value : undefined, "agent", 0);
  const owners =
    format === "interactive"
      ? [...section(root, "handlers")].map(([owner, { value }]) => [owner, entriesOf(value)] as const)
      : [["steps", section(root, "steps")] as const];
  for (const [owner, blocks] of owners) {
    for (const [index, [blockName, { value: block }]] of [...blocks].entries()) {
      if (scalarAt(block, "block") !== "start-thread") continue;
      const name = scalarAt(block, "thread") ?? blockName;
      if (typeof name === "string") open(name, block, owner, index);
    }
  }
  return found;
}

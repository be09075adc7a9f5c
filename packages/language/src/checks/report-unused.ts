import type { Context } from "../context.ts";
import { type DiagnosticCode, type Place, quote } from "../diagnostics.ts";
import { section } from "../names/collect-names.ts";
import type { NameTable } from "../names/name-table.ts";
import { isComputerNamespace, isName, type NameKind } from "../names/names.ts";
import type { MapEntry, MapNode, SyntaxNode } from "../yaml/syntax.ts";

type Includes = ReadonlyMap<string, ReadonlySet<string>>;

/** A declaration that may be unused. */
interface Candidate {
  readonly code: DiagnosticCode;
  readonly name: string;
  readonly place: Place;
  readonly text: string;
}

/**
 * Warns about unused names. If the definition has errors, names that appear anywhere as a value are skipped: their use
 * may be the part with the error.
 */
export function reportUnused(root: MapNode, context: Context, includes: Includes): void {
  const { report, format } = context;
  // Without blocks everything is unused, and another diagnostic reports the missing blocks.
  if (section(root, format === "interactive" ? "handlers" : "steps").size === 0) return;
  const mentioned = report.failed ? mentionedIn(root) : new Set<string>();
  const candidates = [
    ...unusedPrompts(context, includes, mentioned),
    ...unusedReferences(context),
    ...unreachableWorkers(context),
    ...unusedTools(context),
    ...unreadVariables(context),
    ...unwrittenVariables(context),
    ...unreadTriggerInput(root, context),
  ];
  for (const { code, name, place, text } of candidates) {
    if (!mentioned.has(name)) report.add(code, place, text);
  }
}

/** A prompt is used if something names it, or if a prompt that is used includes it. */
function unusedPrompts({ names: { prompts } }: Context, includes: Includes, mentioned: ReadonlySet<string>) {
  const reached = new Set<string>();
  const open = [...prompts.keys()].filter((name) => prompts.isUsed(name) || mentioned.has(name));
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    open.push(...(includes.get(name) ?? []));
  }
  return candidates("UNUSED_PROMPT", prompts, (name) => `Nothing uses the prompt ${quote(name)}.`).filter(
    ({ name }) => !reached.has(name),
  );
}

function unusedReferences({ names: { references } }: Context): Candidate[] {
  return candidates(
    "UNUSED_REFERENCE",
    references,
    (name) => `No thread lists the reference ${quote(name)}, so no model can read it.`,
  );
}

function unreachableWorkers({ names: { workers } }: Context): Candidate[] {
  return unusedOf(workers, "worker").map(([name, { key }]) => {
    const text = `No thread lists the worker ${quote(name)}, and no block runs it.`;
    return { code: "UNREACHABLE_WORKER", name, place: key, text };
  });
}

function unusedTools({ names: { tools, mcpServers, skills } }: Context): Candidate[] {
  const named = (entries: Array<[string, MapEntry]>, text: (name: string) => string) =>
    entries.map(([name, { key }]): Candidate => {
      return { code: "UNUSED_TOOL", name, place: key, text: text(quote(name)) };
    });
  const unlisted = unusedOf(mcpServers, "namespace").filter(([name]) => !isComputerNamespace(name));
  return [
    ...named(unusedOf(tools, "tool"), (name) => `No thread lists the tool ${name}, and no block calls it.`),
    ...named(unlisted, (name) => `No thread lists the MCP server ${name}.`),
    ...named(unusedOf(skills, "skill"), (name) => `No thread lists the skill ${name}.`),
  ];
}

/** Checks only variables that are read: the others have been reported. */
function unwrittenVariables({ names: { session } }: Context): Candidate[] {
  return [...session.entries()].flatMap(([name, { key, section, declaration }]) => {
    if (section === "input" || !session.isUsed(name) || session.isWritten(name)) return [];
    if (declaration.kind === "map" && declaration.entries.has("default")) return [];
    const text = `${quote(name)} always reads NONE: no block writes it, and it has no default.`;
    return [{ code: "UNWRITTEN_VARIABLE", name, place: key, text }];
  });
}

function unreadVariables({ names: { session }, format }: Context): Candidate[] {
  return unusedOf(session, "variable").map(([name, { key, section }]) => {
    const text =
      section === "input" || format === "worker"
        ? `Nothing reads ${quote(name)}.`
        : `Nothing reads or writes ${quote(name)}.`;
    return { code: "UNUSED_VARIABLE", name, place: key, text };
  });
}

/** A trigger without a handler has already been reported. */
function unreadTriggerInput(root: MapNode, { names: { triggers } }: Context): Candidate[] {
  const handlers = section(root, "handlers");
  return [...triggers].flatMap(([trigger, inputs]) => {
    const unused = handlers.has(trigger) ? unusedOf(inputs, "variable") : [];
    return unused.map(([name, { key }]): Candidate => {
      const text = `The handler ${quote(trigger)} does not read ${quote(name)}.`;
      return { code: "UNUSED_VARIABLE", name, place: key, text };
    });
  });
}

/** Invalid names have been reported, and their uses may be spelt correctly. */
function unusedOf<T>(table: NameTable<T>, kind: NameKind): Array<[name: string, entry: T]> {
  return table.unused().filter(([name]) => isName(kind, name));
}

function candidates(
  code: DiagnosticCode,
  table: NameTable<Place>,
  text: (name: string) => string,
): Candidate[] {
  return table.unused().map(([name, place]) => ({ code, name, place, text: text(name) }));
}

/** All text that appears as a value, also under repeated keys. */
function mentionedIn(root: SyntaxNode): Set<string> {
  const found = new Set<string>();
  const open: SyntaxNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === "list") open.push(...node.items);
    else if (node.kind === "scalar") found.add(String(node.value));
    else {
      for (const { value } of node.entries.values()) open.push(value);
      open.push(...(node.repeated ?? []));
    }
  }
  return found;
}

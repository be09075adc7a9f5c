import type { Context } from "./context.ts";
import { quote, type Report } from "./diagnostics.ts";
import type { Format } from "./program.ts";
import type { MapEntry, SyntaxNode } from "./syntax.ts";

type Entries = ReadonlyMap<string, MapEntry>;

type Names = Pick<
  Context,
  "tools" | "input" | "variables" | "resources" | "threads" | "readable" | "triggerInputs"
> & {
  readonly types: Entries;
};

const none: Entries = new Map();

/** Collects every declared name, whether its declaration is right or not. */
export function collectNames(root: SyntaxNode, format: Format, report: Report): Names {
  const [input, variables, resources] = ["input", "variables", "resources"].map((name) =>
    section(root, name),
  );
  const readable = new Set<string>();
  for (const entries of [input, variables, resources]) addAll(entries ?? none, readable, report);
  return {
    types: section(root, "types"),
    tools: new Set(section(root, "tools").keys()),
    input: new Set(input?.keys()),
    variables: new Set(variables?.keys()),
    resources: new Map([...(resources ?? none)].map(([name, { value }]) => [name, isReadonly(value)])),
    threads: format === "interactive" ? new Set(["main"]) : startedThreads(root),
    readable,
    triggerInputs: new Map(
      [...section(root, "triggers")].map(([name, { value }]) => [name, inputNames(value)]),
    ),
  };
}

function inputNames(trigger: SyntaxNode): ReadonlySet<string> {
  return new Set(section(trigger, "input").keys());
}

/** The entries of a section; none when it is absent or not a map. */
export function section(root: SyntaxNode, name: string): Entries {
  const node = root.kind === "map" ? root.entries.get(name)?.value : undefined;
  return node?.kind === "map" ? node.entries : none;
}

/** A name read by a prompt or block must mean one thing. */
function addAll(entries: Entries, readable: Set<string>, report: Report): void {
  for (const [name, { key }] of entries) {
    if (readable.has(name))
      report.add("DUPLICATE_KEY", key, `${quote(name)} is declared in another section already.`);
    readable.add(name);
  }
}

function isReadonly(node: SyntaxNode): boolean {
  const flag = node.kind === "map" ? node.entries.get("readonly")?.value : undefined;
  return flag?.kind === "scalar" && flag.value === true;
}

function startedThreads(root: SyntaxNode): ReadonlySet<string> {
  const threads = new Set<string>();
  for (const { value: step } of section(root, "steps").values()) {
    const thread = scalarOf(step, "block") === "start-thread" ? scalarOf(step, "thread") : undefined;
    if (typeof thread === "string") threads.add(thread);
  }
  return threads;
}

function scalarOf(node: SyntaxNode, key: string): unknown {
  const value = node.kind === "map" ? node.entries.get(key)?.value : undefined;
  return value?.kind === "scalar" ? value.value : undefined;
}

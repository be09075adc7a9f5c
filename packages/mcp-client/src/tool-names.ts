import { createHash } from "node:crypto";

const maxLength = 64;

/**
 * The name of a server's tool for models, which accept 1 to 64 letters, digits, `_` and `-`. Other characters become `_`; the
 * end of a long name becomes a hash of the whole.
 */
export function toolName(namespace: string, tool: string): string {
  const full = `${namespace}__${tool}`;
  const name = full.replace(/[^A-Za-z0-9_-]/gu, "_");
  if (name.length <= maxLength) return name;
  const hash = createHash("sha256").update(full).digest("hex").slice(0, 8);
  return `${name.slice(0, maxLength - 9)}_${hash}`;
}

export interface NamedTools<T> {
  byName: Map<string, T>;
  /** One sentence for each name that several tools would have. None of them is offered: a call could reach the wrong one. */
  problems: string[];
}

/** Gives each tool its name for models. The result does not depend on their order. */
export function nameTools<T extends { namespace: string; name: string }>(tools: readonly T[]): NamedTools<T> {
  // Not Map.groupBy: a machine that connects as a computer may have Node 20.
  const groups = new Map<string, T[]>();
  for (const tool of tools) {
    const name = toolName(tool.namespace, tool.name);
    groups.set(name, [...(groups.get(name) ?? []), tool]);
  }
  const problems: string[] = [];
  const byName = new Map<string, T>();
  for (const [name, [first, ...others]] of groups) {
    if (first === undefined) continue;
    if (others.length === 0) byName.set(name, first);
    else problems.push(`${list([first, ...others])} would all be named ${name}, so none of them is offered.`);
  }
  return { byName, problems };
}

function list(tools: ReadonlyArray<{ namespace: string; name: string }>): string {
  const names = tools.map(({ namespace, name }) => `the tool ${name} of ${namespace}`).sort();
  const text = names.join(" and ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

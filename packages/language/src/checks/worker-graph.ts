import { type Diagnostic, type Place, quote, Report } from "../diagnostics.ts";
import type { Format } from "../program.ts";

export interface DeclaredWorker {
  readonly slug: string;
  /** The place of its key in `workers:`. */
  readonly place: Place;
}

/** The relevant facts about another active agent of the project. */
export interface KnownAgent {
  readonly format: Format;
  /** Slugs that its definition declares in `workers`. */
  readonly workers: readonly string[];
}

/** A definition among the agents of its project. */
export interface WorkerGraphRoot {
  readonly slug: string;
  readonly format: Format;
  readonly workers: readonly DeclaredWorker[];
}

/** More than any model could choose from. Limits storage and the size of the graph; one report can list all of them. */
export const maxDeclaredWorkers = 128;

/**
 * Reports the declared workers that cannot run, because they do not exist or because they would run the definition
 * itself again. `find` returns the other active agents by slug; it is never called with the definition's own slug.
 * Pure, and linear in the number of reachable agents and declarations.
 */
export function checkWorkers(
  root: WorkerGraphRoot,
  find: (slug: string) => KnownAgent | undefined,
): readonly Diagnostic[] {
  const report = new Report();
  const excess = root.workers[maxDeclaredWorkers];
  if (excess !== undefined) {
    report.add("LIMIT_EXCEEDED", excess.place, `At most ${maxDeclaredWorkers} workers can be declared.`);
    return report.list();
  }
  const nextTowardsRoot = root.format === "worker" ? waysBack(root, find) : new Map<string, string>();
  for (const { slug, place } of root.workers) {
    const format = slug === root.slug ? root.format : find(slug)?.format;
    if (slug === root.slug && format === "worker") {
      report.add("WORKER_CYCLE", place, `The worker would run itself: ${slug} -> ${slug}.`);
    } else if (nextTowardsRoot.has(slug)) {
      const path = pathOf(root.slug, slug, nextTowardsRoot);
      report.add("WORKER_CYCLE", place, `The worker would run this agent again: ${path}.`);
    } else if (format === undefined) {
      const text = `The project has no active agent with the slug ${quote(slug)}.`;
      report.add("UNREACHABLE_WORKER", place, text);
    } else if (format !== "worker") {
      const text = `The agent ${quote(slug)} has format ${format}, so it cannot run as a worker.`;
      report.add("UNREACHABLE_WORKER", place, text);
    }
  }
  return report.list();
}

/** For every worker from which the root can be reached: the next one on a shortest path. */
function waysBack(
  root: WorkerGraphRoot,
  find: (slug: string) => KnownAgent | undefined,
): ReadonlyMap<string, string> {
  const callers = callersOf(root, find);
  const next = new Map<string, string>();
  const queue = [root.slug];
  for (const slug of queue) {
    for (const caller of callers.get(slug) ?? []) {
      if (caller === root.slug || next.has(caller)) continue;
      next.set(caller, slug);
      queue.push(caller);
    }
  }
  return next;
}

/** The callers of each reachable worker. No agent can run an agent of another format. */
function callersOf(
  root: WorkerGraphRoot,
  find: (slug: string) => KnownAgent | undefined,
): ReadonlyMap<string, readonly string[]> {
  const callers = new Map<string, string[]>();
  const queue = [root.slug];
  const seen = new Set(queue);
  for (const slug of queue) {
    for (const callee of slug === root.slug ? root.workers.map(({ slug }) => slug) : workersOf(find(slug))) {
      const known = callers.get(callee);
      if (known === undefined) callers.set(callee, [slug]);
      else known.push(slug);
      if (seen.has(callee)) continue;
      seen.add(callee);
      queue.push(callee);
    }
  }
  return callers;
}

function workersOf(agent: KnownAgent | undefined): readonly string[] {
  return agent?.format === "worker" ? agent.workers : [];
}

const maxNamesInPath = 8;

function pathOf(root: string, first: string, next: ReadonlyMap<string, string>): string {
  const names = [root];
  for (let slug: string | undefined = first; slug !== undefined; slug = next.get(slug)) names.push(slug);
  if (names.length <= maxNamesInPath) return names.join(" -> ");
  return [...names.slice(0, maxNamesInPath - 3), "…", ...names.slice(-2)].join(" -> ");
}

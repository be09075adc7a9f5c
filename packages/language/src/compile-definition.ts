import { reportStrays } from "./checks/report-strays.ts";
import { reportUnused } from "./checks/report-unused.ts";
import type { DeclaredWorker } from "./checks/worker-graph.ts";
import type { Context } from "./context.ts";
import { type Diagnostic, Report } from "./diagnostics.ts";
import { collectNames, section } from "./names/collect-names.ts";
import { isName } from "./names/names.ts";
import { PlaceholderLog } from "./names/placeholder-log.ts";
import type { ModelSetting, Program } from "./program.ts";
import { compilePrompts } from "./prompts/compile-prompts.ts";
import { modelSetting } from "./readers/model-readers.ts";
import { wrongType } from "./readers/readers.ts";
import { readInteractive, readWorker } from "./sections/sections.ts";
import { checkSource, type DefinitionSource, findOversize } from "./source.ts";
import { CustomTypes } from "./types/custom-types.ts";
import { parseYaml } from "./yaml/parse-yaml.ts";
import type { MapNode, SyntaxNode } from "./yaml/syntax.ts";

export type Compilation = (
  | { readonly ok: true; readonly program: Program }
  /** At least one issue is an error. */
  | { readonly ok: false }
) & {
  readonly issues: readonly Diagnostic[];
  /** The workers that `workers:` declares, for callers that know the existing agents. */
  readonly workers: readonly DeclaredWorker[];
};

export interface CompileOptions {
  /** Whether the model catalog has an id `provider/model-id`. If absent, no model counts as unknown. */
  readonly knowsModel?: (id: string) => boolean;
  /** Ids to suggest for one that the catalog does not have. */
  readonly modelIds?: Iterable<string>;
  /** The slugs of the MCP servers that the project has registered. If absent, none counts as unregistered. */
  readonly mcpServers?: readonly string[] | undefined;
}

/**
 * Compiles a definition, or reports all of its problems. Pure, and never throws; the effort is bounded
 * by `definitionLimits`. With `ok: true` the issues are warnings and infos. The program belongs to exactly this
 * source, so it may be cached for as long as the source is known not to change.
 */
export function compileDefinition(source: DefinitionSource, options: CompileOptions = {}): Compilation {
  const report = new Report();
  const oversize = findOversize(source);
  if (oversize !== undefined) {
    report.add("LIMIT_EXCEEDED", oversize, oversize.message);
    return { ok: false, issues: report.list(), workers: [] };
  }
  checkSource(source, report);
  const { program, workers } = compileProtocol(source, options, report);
  const found = { issues: report.list(), workers };
  return program === undefined || report.failed ? { ok: false, ...found } : { ok: true, program, ...found };
}

interface Compiled {
  readonly program?: Program | undefined;
  readonly workers: readonly DeclaredWorker[];
}

function compileProtocol(
  source: DefinitionSource,
  { knowsModel, modelIds = [], mcpServers }: CompileOptions,
  report: Report,
): Compiled {
  const prompts = compilePrompts(source.prompts, report);
  const root = parseYaml(source.protocol, report);
  if (root === undefined) return { workers: [] };
  const names = collectNames(root, source, report);
  const types = new CustomTypes(section(root, "types"), report);
  types.resolveAll();
  const { format, slug } = source.settings;
  const { templates } = prompts;
  const placeholders = new PlaceholderLog();
  const models = knowsModel && { knows: knowsModel, ids: modelIds };
  const lookups = { templates, names, types, models, mcpServers, scope: [names.session] };
  const seen = { placeholders, checkedValues: new Set<SyntaxNode>() };
  const context = { report, format, slug, references: referencesOf(source), ...lookups, ...seen };
  if (root.kind !== "map") {
    const keys = format === "interactive" ? "agent, triggers and handlers" : "variables, steps and output";
    wrongType(root, context, `a map of sections, such as ${keys}`);
    return { workers: [] };
  }
  reportStrays(prompts.strays, context);
  const program =
    format === "interactive"
      ? readInteractive(root, { ...context, agentModel: agentModel(root, context) })
      : readWorker(root, context);
  placeholders.report(report, names.triggerOf);
  reportUnused(root, context, prompts.includes);
  return { program, workers: declaredWorkers(root) };
}

/** Problems with it are reported where `agent:` itself is read. */
function agentModel(root: MapNode, context: Context): ModelSetting | undefined {
  const node = section(root, "agent").get("model")?.value;
  return node && modelSetting.read(node, { ...context, report: new Report(), checkedValues: new Set() });
}

/** Omits names that no agent can have, which have been reported. */
function declaredWorkers(root: SyntaxNode): DeclaredWorker[] {
  return [...section(root, "workers")].flatMap(([slug, { key }]) =>
    isName("worker", slug) ? { slug, place: key } : [],
  );
}

function referencesOf({ references }: DefinitionSource): Program["references"] {
  return Object.fromEntries(references.map((reference) => [reference.name, reference]));
}

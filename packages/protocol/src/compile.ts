import { collectNames } from "./collect-names.ts";
import type { Context } from "./context.ts";
import { type Diagnostic, Report } from "./diagnostics.ts";
import { parseYaml } from "./parse-yaml.ts";
import type { Program } from "./program.ts";
import { compilePrompts } from "./prompts.ts";
import { wrongType } from "./readers.ts";
import { readInteractive, readWorker } from "./sections.ts";
import { checkSource, type DefinitionSource, findOversize } from "./source.ts";
import { CustomTypes } from "./type-table.ts";

export type Compilation =
  | { readonly ok: true; readonly program: Program; readonly issues: readonly Diagnostic[] }
  | { readonly ok: false; readonly issues: readonly Diagnostic[] };

/**
 * Compiles a definition, or says everything that is wrong with it. Pure, and never throws; the effort is bounded
 * by `definitionLimits`. With `ok: true` the issues are warnings. The program belongs to exactly this source, so
 * it may be cached for as long as the source is known not to change.
 */
export function compileDefinition(source: DefinitionSource): Compilation {
  const report = new Report();
  const oversize = findOversize(source);
  if (oversize !== undefined) {
    report.add("LIMIT_EXCEEDED", oversize, oversize.message);
    return { ok: false, issues: report.list() };
  }
  checkSource(source, report);
  const prompts = compilePrompts(source.prompts, report);
  const program = compileProtocol(source, prompts, report);
  const issues = report.list();
  return program === undefined || report.failed ? { ok: false, issues } : { ok: true, program, issues };
}

function compileProtocol(
  { protocol, settings: { format } }: DefinitionSource,
  prompts: Context["prompts"],
  report: Report,
): Program | undefined {
  const root = parseYaml(protocol, report);
  if (root === undefined) return undefined;
  const names = collectNames(root, format, report);
  const types = new CustomTypes(names.types, report);
  types.resolveAll();
  const context: Context = { report, format, prompts, ...names, types };
  if (root.kind !== "map")
    return wrongType(root, context, "a map of sections, such as agent, triggers and handlers");
  return format === "interactive" ? readInteractive(root, context) : readWorker(root, context);
}

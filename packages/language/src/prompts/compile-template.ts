import { readPromptNames } from "../checks/read-prompt-names.ts";
import { Report } from "../diagnostics.ts";
import { compilePrompts } from "./compile-prompts.ts";
import type { Template } from "./template.ts";

/** A template with the names in it, or a sentence that says why the text is none. */
export type CompiledTemplate =
  | { readonly template: Template; readonly names: ReadonlySet<string> }
  | { readonly problem: string };

/** A template by itself, without includes. Unlike in prompts, unknown tags are refused. Takes time in proportion to its length. */
export function compileTemplate(content: string): CompiledTemplate {
  const report = new Report();
  const { templates, strays } = compilePrompts([{ name: "template", content }], report);
  const template = templates.get("template");
  const [diagnostic] = report.list();
  if (template === undefined) return { problem: diagnostic?.message ?? "The template is invalid." };
  const [stray] = strays;
  if (stray !== undefined)
    return { problem: `${stray.raw} is unknown: write names like {{ISSUE_TITLE}}, and {{#if ISSUE_TITLE}}.` };
  const names = readPromptNames(template, new Set(), { left: content.length + 1 });
  return { template, names: names?.mentioned ?? new Set() };
}

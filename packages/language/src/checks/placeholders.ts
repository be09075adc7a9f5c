import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { UnusedLabel } from "../names/placeholder-log.ts";
import type { InputMapping } from "../prompts/template.ts";
import { pairsOf } from "../readers/input-mapping.ts";
import type { FoundPrompt } from "../readers/name-readers.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";
import { readPromptNames } from "./read-prompt-names.ts";

/** The limit per use of a prompt. A longer list would not help the author. */
const maxMissing = 20;

/** Compares a prompt's placeholders with the mapping of its user. `key` of `node` names the prompt. */
export function checkPlaceholders(
  { prompt, input }: { prompt: FoundPrompt | undefined; input: InputMapping },
  node: SyntaxNode,
  key: "prompt" | "system",
  context: Context,
): void {
  const entries = node.kind === "map" ? node.entries : undefined;
  const mapping = entries?.get("input")?.value;
  const place = mapping ?? entries?.get(key)?.value ?? node;
  const labels = new Set(input.map(({ name }) => name));
  const { placeholders, scope, report, names: declared } = context;
  const names = readPromptNames(prompt?.template ?? [], labels, placeholders.budget);
  if (names === undefined) return;
  const common = { prompt: prompt?.name ?? "", labels, place, scope };
  for (const name of [...names.missing].slice(0, maxMissing)) {
    const missing = { ...common, name, has: `{{${name}}}`, effect: "stays unchanged" };
    placeholders.reportMissing(missing, report, declared.triggerOf);
  }
  placeholders.decide(names.decided);
  for (const name of names.undecided) {
    if (names.missing.has(name)) continue;
    placeholders.doubt({
      ...common,
      name,
      has: `a condition on ${name}`,
      effect: "counts as missing",
    });
  }
  const unused = [...labels].filter((label) => !names.mentioned.has(label));
  placeholders.addUnused(unusedLabels(unused, prompt?.name, mapping ?? node));
}

function unusedLabels(
  labels: readonly string[],
  prompt: string | undefined,
  mapping: SyntaxNode,
): UnusedLabel[] {
  if (labels.length === 0) return [];
  const pairs = pairsOf(mapping);
  const places = new Map(Array.isArray(pairs) ? pairs.map(({ label, source }) => [label, source]) : []);
  const lacks =
    prompt === undefined ? "There is no system prompt with" : `The prompt ${quote(prompt)} has no`;
  return labels.map((label) => {
    return {
      label,
      place: places.get(label) ?? mapping,
      text: `${lacks} {{${label}}}, so mapping it has no effect.`,
    };
  });
}

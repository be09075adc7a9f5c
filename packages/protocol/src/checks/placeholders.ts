import type { Context } from "../context.ts";
import { type Place, quote, type Report } from "../diagnostics.ts";
import { definitionLimits } from "../limits.ts";
import { findVariable, namesOf } from "../names/lookups.ts";
import type { Budget } from "../names/suggest.ts";
import type { InputMapping } from "../program.ts";
import { pairsOf } from "../readers/input-mapping.ts";
import type { FoundPrompt } from "../readers/name-readers.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";
import { readPromptNames } from "./prompt-names.ts";

/** A name that a prompt asks for and `input` does not map. */
interface Missing {
  readonly name: string;
  readonly prompt: string;
  /** What the prompt has, and what comes of it, as parts of a sentence. */
  readonly has: string;
  readonly effect: string;
  /** The labels that are mapped. */
  readonly labels: ReadonlySet<string>;
  readonly place: Place;
  readonly context: Context;
}

/** What is known of placeholders once all uses of all prompts have been seen. */
export class PlaceholderLog {
  readonly budget: Budget = { left: definitionLimits.promptParts };
  /** Labels and names that some slip in a prompt stands for. */
  readonly meant = new Set<string>();
  readonly #undecided = new Map<string, Missing>();
  readonly #decided = new Set<string>();
  readonly #unused: UnusedLabel[] = [];

  decide(names: Iterable<string>): void {
    for (const name of names) this.#decided.add(name);
  }

  doubt(missing: Missing): void {
    if (!this.#undecided.has(missing.name)) this.#undecided.set(missing.name, missing);
  }

  addUnused(labels: readonly UnusedLabel[]): void {
    this.#unused.push(...labels);
  }

  report(report: Report): void {
    // A prompt that several threads share may ask for what only one of them maps; what none maps is a slip.
    for (const [name, missing] of this.#undecided) if (!this.#decided.has(name)) reportMissing(missing);
    // What is wrong may be what would use it.
    if (report.failed) return;
    for (const { label, place, text } of this.#unused)
      if (!this.meant.has(label)) report.add("UNUSED_MAPPING", place, text);
  }
}

interface UnusedLabel {
  readonly label: string;
  readonly place: Place;
  readonly text: string;
}

/** Of one use of a prompt. Whoever has more has no use for all of them. */
const maxMissing = 20;

/** Compares what a prompt asks for with what its user maps. Of `node` `key` names the prompt. */
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
  const names = readPromptNames(prompt?.template ?? [], labels, context.placeholders.budget);
  if (names === undefined) return;
  const common = { prompt: prompt?.name ?? "", labels, place, context };
  for (const name of [...names.missing].slice(0, maxMissing))
    reportMissing({ ...common, name, has: `{{${name}}}`, effect: "stays as it is" });
  context.placeholders.decide(names.decided);
  for (const name of names.undecided) {
    if (names.missing.has(name)) continue;
    context.placeholders.doubt({
      ...common,
      name,
      has: `a condition on ${name}`,
      effect: "never has a value",
    });
  }
  const unused = [...labels].filter((label) => !names.mentioned.has(label));
  context.placeholders.addUnused(unusedLabels(unused, prompt?.name, mapping ?? node));
}

function reportMissing({ name, prompt, has, effect, labels, place, context }: Missing): void {
  const { report, scope, placeholders, names } = context;
  const text = `The prompt ${quote(prompt)} has ${has}, which input does not map, so it ${effect}`;
  const near =
    findVariable(name, context) === undefined ? report.closest(name, readable(labels, context)) : [name];
  if (near.length === 0 && !names.triggerOf.has(name)) {
    report.add("UNKNOWN_TAG", place, `${text}; nothing of that name is declared.`);
    return;
  }
  const meant = near.filter((candidate) => candidate !== name);
  report.add("UNMAPPED_PLACEHOLDER", place, `${text}.`, meant);
  for (const candidate of near) {
    placeholders.meant.add(candidate);
    for (const table of scope) table.use(candidate);
  }
}

function* readable(labels: ReadonlySet<string>, { scope }: Context): Generator<string> {
  yield* labels;
  for (const name of namesOf(scope)) if (!labels.has(name)) yield name;
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

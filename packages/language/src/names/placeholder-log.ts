import { definitionLimits } from "../definition-limits.ts";
import { type Place, quote, type Report } from "../diagnostics.ts";
import { findVariable, namesOf, type Scope } from "./scope.ts";
import type { Budget } from "./suggest.ts";

/** A name that a prompt asks for and `input` does not map. */
interface Missing {
  readonly name: string;
  readonly prompt: string;
  /** The placeholder and its effect, as parts of a sentence. */
  readonly has: string;
  readonly effect: string;
  /** The labels that are mapped. */
  readonly labels: ReadonlySet<string>;
  readonly place: Place;
  /** The variables that could have been mapped. */
  readonly scope: Scope;
}

export interface UnusedLabel {
  readonly label: string;
  readonly place: Place;
  readonly text: string;
}

type TriggerOf = ReadonlyMap<string, string>;

/** Collects facts about placeholders until all uses of all prompts have been read. */
export class PlaceholderLog {
  readonly budget: Budget = { left: definitionLimits.promptParts };
  /** Labels and names that a mistake in a prompt probably meant. */
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

  /** Reports the problems that could not be decided before. */
  report(report: Report, triggerOf: TriggerOf): void {
    // Threads may share a prompt with a placeholder that only one of them maps. A name that none maps is a mistake.
    for (const [name, missing] of this.#undecided)
      if (!this.#decided.has(name)) this.reportMissing(missing, report, triggerOf);
    // The line with the error may be the one that uses the label.
    if (report.failed) return;
    for (const { label, place, text } of this.#unused)
      if (!this.meant.has(label)) report.add("UNUSED_MAPPING", place, text);
  }

  reportMissing(missing: Missing, report: Report, triggerOf: TriggerOf): void {
    const { name, prompt, has, effect, labels, place, scope } = missing;
    const text = `The prompt ${quote(prompt)} has ${has}, but input does not map it, so it ${effect}`;
    const near =
      findVariable(name, scope) === undefined ? report.closest(name, readable(labels, scope)) : [name];
    if (near.length === 0 && !triggerOf.has(name)) {
      report.add("UNKNOWN_TAG", place, `${text}; no variable has that name.`);
      return;
    }
    const meant = near.filter((candidate) => candidate !== name);
    report.add("UNMAPPED_PLACEHOLDER", place, `${text}.`, meant);
    for (const candidate of near) {
      this.meant.add(candidate);
      for (const table of scope) table.use(candidate);
    }
  }
}

function* readable(labels: ReadonlySet<string>, scope: Scope): Generator<string> {
  yield* labels;
  for (const name of namesOf(scope)) if (!labels.has(name)) yield name;
}

import type { Budget } from "../names/suggest.ts";
import type { Condition, Template, TemplatePart } from "../prompts/template.ts";

/** The names in a prompt and its includes, for one user of the prompt. */
export interface PromptNames {
  /** All names. */
  readonly mentioned: ReadonlySet<string>;
  /** Placeholders that stay unchanged, because they are not mapped and no condition hides them. */
  readonly missing: ReadonlySet<string>;
  /** Conditions on names that are not mapped and therefore count as missing. */
  readonly undecided: ReadonlySet<string>;
  /** Conditions on names that are mapped. */
  readonly decided: ReadonlySet<string>;
}

/** Undefined if that would exceed the budget, which counts parts of prompts. */
export function readPromptNames(
  template: Template,
  mapped: ReadonlySet<string>,
  budget: Budget,
): PromptNames | undefined {
  const reader = new NameReader(mapped, budget);
  reader.read(template, true);
  return budget.left < 0 ? undefined : reader;
}

class NameReader implements PromptNames {
  readonly mentioned = new Set<string>();
  readonly missing = new Set<string>();
  readonly undecided = new Set<string>();
  readonly decided = new Set<string>();
  readonly #mapped: ReadonlySet<string>;
  readonly #budget: Budget;
  /** A prompt included in many places is one object, so it is read only once. */
  readonly #seen = { live: new Set<Template>(), dead: new Set<Template>() };

  constructor(mapped: ReadonlySet<string>, budget: Budget) {
    this.#mapped = mapped;
    this.#budget = budget;
  }

  /** Text that is not live never reaches a model, for any values. */
  read(template: Template, isLive: boolean): void {
    const seen = isLive ? this.#seen.live : this.#seen.dead;
    if (seen.has(template)) return;
    seen.add(template);
    for (const part of template) {
      if (--this.#budget.left < 0) return;
      this.#part(part, isLive);
    }
  }

  #part(part: TemplatePart, isLive: boolean): void {
    switch (part.kind) {
      case "text":
        break;
      case "value":
        this.mentioned.add(part.name);
        if (isLive && !this.#mapped.has(part.name)) this.missing.add(part.name);
        break;
      case "include":
        this.read(part.template, isLive);
        break;
      case "choice":
        this.#choice(part, isLive);
        break;
      default:
        part satisfies never;
    }
  }

  #choice({ branches, otherwise }: Extract<TemplatePart, { kind: "choice" }>, isLive: boolean): void {
    let isOpen = isLive;
    for (const { condition, body } of branches) {
      this.mentioned.add(condition.name);
      const holds = this.#holds(condition);
      if (isOpen) (holds === undefined ? this.decided : this.undecided).add(condition.name);
      this.read(body, isOpen && holds !== false);
      if (holds === true) isOpen = false;
    }
    this.read(otherwise, isOpen);
  }

  /** Undefined if it depends on the value. */
  #holds({ name, test }: Condition): boolean | undefined {
    return this.#mapped.has(name) ? undefined : test === "falsy" || test === "unequal";
  }
}

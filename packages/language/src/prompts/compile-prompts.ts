import { definitionLimits } from "../definition-limits.ts";
import { type Place, type Position, quote, type Report } from "../diagnostics.ts";
import type { DraftPart, DraftTemplate } from "./draft.ts";
import { parseTemplate, type StrayTag } from "./parse-template.ts";
import type { Template, TemplatePart } from "./template.ts";

export interface Prompts {
  /** By name; undefined for a prompt that is invalid or includes an invalid one, which has been reported. */
  readonly templates: ReadonlyMap<string, Template | undefined>;
  /** The names that each prompt includes, or means to include. */
  readonly includes: ReadonlyMap<string, ReadonlySet<string>>;
  readonly strays: readonly PromptStray[];
}

/** An unknown tag and the prompt that contains it. */
export interface PromptStray extends StrayTag {
  readonly prompt: string;
  /** The place of the prompt's content. */
  readonly path: string;
}

export interface PromptSource {
  readonly name: string;
  readonly content: string;
}

/**
 * Parses all prompts and resolves their includes. An included template is shared, not copied, and the total
 * length is bounded: prompts that each include the next one twice would otherwise double at each step.
 */
export function compilePrompts(sources: readonly PromptSource[], report: Report): Prompts {
  const linker = new Linker(sources, report);
  const templates = new Map(sources.map(({ name }) => [name, linker.link(name)?.template]));
  return { templates, includes: linker.includes, strays: linker.strays };
}

interface Linked {
  readonly template: Template;
  /** Characters and parts with includes expanded. */
  readonly length: number;
  readonly includeDepth: number;
}

interface Draft {
  readonly draft: DraftTemplate;
  readonly path: string;
  readonly sound: boolean;
}

class Linker {
  readonly includes = new Map<string, Set<string>>();
  readonly strays: PromptStray[] = [];
  readonly #report: Report;
  readonly #drafts = new Map<string, Draft>();
  readonly #linked = new Map<string, Linked | undefined>();
  readonly #open: string[] = [];

  constructor(sources: readonly PromptSource[], report: Report) {
    this.#report = report;
    for (const [index, { name, content }] of sources.entries()) {
      const path = `prompts.${index}.content`;
      const { draft, problems, strays } = parseTemplate(content);
      for (const { code, position, message } of problems) {
        report.add(code, { path, position }, `In the prompt ${quote(name)}: ${message}`);
      }
      if (this.#drafts.has(name)) continue;
      this.strays.push(...strays.map((stray) => ({ ...stray, prompt: name, path })));
      this.#drafts.set(name, { draft, path, sound: problems.length === 0 });
      this.includes.set(name, new Set());
    }
  }

  link(name: string): Linked | undefined {
    const draft = this.#drafts.get(name);
    if (draft === undefined) return undefined;
    if (this.#linked.has(name)) return this.#linked.get(name);
    this.#open.push(name);
    const linked = this.#bounded(name, draft);
    this.#open.pop();
    this.#linked.set(name, linked);
    return linked;
  }

  #bounded(name: string, { draft, path, sound }: Draft): Linked | undefined {
    const measure = { length: 0, includeDepth: 0, complete: sound };
    const template = this.#template(draft, path, measure);
    if (!measure.complete) return undefined;
    const { expandedPromptLength, includeDepth } = definitionLimits;
    if (measure.length <= expandedPromptLength && measure.includeDepth <= includeDepth) {
      return { template, length: measure.length, includeDepth: measure.includeDepth };
    }
    const limits = `${expandedPromptLength} characters or ${includeDepth} levels`;
    this.#report.add(
      "LIMIT_EXCEEDED",
      { path },
      `With its includes, the prompt ${quote(name)} is larger than ${limits}.`,
    );
    return undefined;
  }

  #template(draft: DraftTemplate, path: string, measure: Measure): Template {
    return draft.map((part) => this.#part(part, path, measure)).filter((part) => part !== undefined);
  }

  #part(part: DraftPart, path: string, measure: Measure): TemplatePart | undefined {
    measure.length += 1;
    switch (part.kind) {
      case "text":
        measure.length += part.text.length;
        return part;
      case "value":
        measure.length += part.raw.length;
        return part;
      case "include":
        return this.#include(part.prompt, { path, position: part.position }, measure);
      case "choice": {
        const branches = part.branches.map(({ condition, body }) => {
          return { condition, body: this.#template(body, path, measure) };
        });
        return { kind: "choice", branches, otherwise: this.#template(part.otherwise, path, measure) };
      }
      default:
        return part satisfies never;
    }
  }

  #include(name: string, place: Place & { position: Position }, measure: Measure): TemplatePart | undefined {
    const linked = this.#resolve(name, place);
    if (linked === undefined) {
      measure.complete = false;
      return undefined;
    }
    measure.length += linked.length;
    measure.includeDepth = Math.max(measure.includeDepth, linked.includeDepth + 1);
    return { kind: "include", template: linked.template };
  }

  #resolve(name: string, place: Place): Linked | undefined {
    const includer = this.#open.at(-1) ?? "";
    const included = this.includes.get(includer);
    included?.add(name);
    const { expandedPromptLength, includeDepth } = definitionLimits;
    if (!this.#drafts.has(name)) {
      const known = { name, among: this.#drafts.keys() };
      const text = `The prompt ${quote(includer)} includes ${quote(name)}, which does not exist.`;
      for (const meant of this.#report.add("UNKNOWN_PROMPT", place, text, known)) included?.add(meant);
    } else if (this.#open.includes(name)) {
      const circle = [...this.#open.slice(this.#open.indexOf(name)), name].join(" -> ");
      this.#report.add("CIRCULAR_PROMPT", place, `Prompts must not include themselves: ${circle}.`);
    } else if (this.#open.length > includeDepth) {
      const limits = `${expandedPromptLength} characters or ${includeDepth} levels`;
      const text = `With its includes, the prompt ${quote(includer)} is larger than ${limits}.`;
      this.#report.add("LIMIT_EXCEEDED", place, text);
    } else {
      return this.link(name);
    }
    return undefined;
  }
}

interface Measure {
  length: number;
  includeDepth: number;
  complete: boolean;
}

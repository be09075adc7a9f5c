import { definitionLimits } from "../definition-limits.ts";
import type { DiagnosticCode, Position } from "../diagnostics.ts";
import { quote } from "../diagnostics.ts";
import type { DraftPart, DraftTemplate } from "./draft.ts";
import { type Likeness, readCondition, readTag, type Tag } from "./tags.ts";
import type { Condition } from "./template.ts";

export interface TemplateProblem {
  readonly code: DiagnosticCode;
  readonly position: Position;
  readonly message: string;
}

/** A tag that is unknown here and stays text, although it looks like a known one. */
export interface StrayTag {
  readonly raw: string;
  readonly position: Position;
  /** The name behind a name in another style, or behind a property of one. */
  readonly name?: string;
}

export interface ParsedTemplate {
  readonly draft: DraftTemplate;
  readonly problems: readonly TemplateProblem[];
  /** Without duplicates, and only a few. */
  readonly strays: readonly StrayTag[];
}

interface OpenChoice {
  readonly branches: Array<{ condition: Condition; body: DraftPart[] }>;
  readonly otherwise: DraftPart[];
  readonly position: Position;
  hasElse: boolean;
  /** The parts around the conditional. */
  readonly outer: DraftPart[];
  /** Nested too deeply, which has been reported: its parts go to `outer`, so that nothing recurses into it. */
  readonly isFlat: boolean;
}

// No nesting and no braces inside, so that one pass over the text finds every tag.
const tag = /\{\{([^{}]*)\}\}/g;
const maxStrays = 20;
// Replaces a condition that could not be read and has been reported, so that the rest can be checked.
const unread: Condition = { test: "falsy", name: "" };

/** Parses one prompt. Tags that mean nothing here stay text. One pass finds all problems. */
export function parseTemplate(source: string): ParsedTemplate {
  const parser = new TemplateParser(source);
  const draft = parser.parse();
  return { draft, problems: parser.problems, strays: [...parser.strays.values()] };
}

class TemplateParser {
  readonly problems: TemplateProblem[] = [];
  readonly strays = new Map<string, StrayTag>();
  readonly #source: string;
  readonly #open: OpenChoice[] = [];
  #parts: DraftPart[] = [];
  #line = 1;
  #lineStart = 0;
  #seenTo = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): DraftTemplate {
    const root = this.#parts;
    let end = 0;
    for (const match of this.#source.matchAll(tag)) {
      this.#text(this.#source.slice(end, match.index));
      this.#tag(match[0], readTag((match[1] ?? "").trim()), this.#positionAt(match.index));
      end = match.index + match[0].length;
    }
    this.#text(this.#source.slice(end));
    for (const { position } of this.#open) this.#problem(position, "This {{#if}} has no {{/if}}.");
    // Its content is still checked, and its includes count as used.
    while (this.#open.length > 0) this.#closeChoice({ line: 1, column: 1 });
    return root;
  }

  #tag(raw: string, tag: Tag, position: Position): void {
    switch (tag.kind) {
      case "if":
        this.#openChoice(tag.condition, position);
        break;
      case "else-if":
        this.#nextBranch(tag.condition, position);
        break;
      case "else":
        this.#otherwise(position);
        break;
      case "end":
        this.#closeChoice(position);
        break;
      case "include":
        this.#parts.push({ ...tag, position });
        break;
      case "value":
        this.#parts.push({ ...tag, raw });
        break;
      case "stray":
        this.#stray(raw, tag.looksLike, position);
        break;
      default:
        tag satisfies never;
    }
  }

  /** In a conditional, a nearly correct tag is a mistake; anywhere else it may be text about templates. */
  #stray(raw: string, looksLike: Likeness, position: Position): void {
    this.#text(raw);
    if (looksLike?.kind === "condition" && this.#open.length > 0) {
      const parts = "{{#if …}}, {{else if …}}, {{else}} and {{/if}}";
      this.#problem(position, `${quote(raw)} does not belong in a conditional; use ${parts}.`);
    } else if (looksLike !== undefined && this.strays.size < maxStrays && !this.strays.has(raw)) {
      this.strays.set(raw, { raw, position, ...(looksLike.kind === "name" && { name: looksLike.name }) });
    }
  }

  #text(text: string): void {
    if (text !== "") this.#parts.push({ kind: "text", text });
  }

  #openChoice(condition: string, position: Position): void {
    const isFlat = this.#open.length >= definitionLimits.conditionDepth;
    if (isFlat) {
      this.#problem(
        position,
        `Conditionals can be nested at most ${definitionLimits.conditionDepth} deep.`,
        "LIMIT_EXCEEDED",
      );
    }
    const outer = this.#parts;
    const body: DraftPart[] = isFlat ? outer : [];
    const branches = [{ condition: this.#condition(condition, position), body }];
    this.#open.push({ branches, otherwise: [], position, hasElse: false, outer, isFlat });
    this.#parts = body;
  }

  #nextBranch(condition: string, position: Position): void {
    const choice = this.#open.at(-1);
    if (choice === undefined || choice.hasElse) {
      this.#problem(
        position,
        `This {{else if}} ${choice === undefined ? "has no {{#if}}" : "comes after the {{else}}"}.`,
      );
      return;
    }
    const body: DraftPart[] = choice.isFlat ? choice.outer : [];
    choice.branches.push({ condition: this.#condition(condition, position), body });
    this.#parts = body;
  }

  #otherwise(position: Position): void {
    const choice = this.#open.at(-1);
    if (choice === undefined || choice.hasElse) {
      this.#problem(
        position,
        `This {{else}} ${choice === undefined ? "has no {{#if}}" : "comes after another {{else}}"}.`,
      );
      return;
    }
    choice.hasElse = true;
    this.#parts = choice.isFlat ? choice.outer : choice.otherwise;
  }

  #closeChoice(position: Position): void {
    const choice = this.#open.pop();
    if (choice === undefined) {
      this.#problem(position, "This {{/if}} has no {{#if}}.");
      return;
    }
    const { branches, otherwise, outer, isFlat } = choice;
    if (!isFlat) outer.push({ kind: "choice", branches, otherwise });
    this.#parts = outer;
  }

  #condition(text: string, position: Position): Condition {
    const condition = readCondition(text);
    if (condition !== undefined) return condition;
    this.#problem(position, `${quote(text)} is not a condition: write VAR, !VAR, VAR == "x" or VAR != "x".`);
    return unread;
  }

  #problem(position: Position, message: string, code: DiagnosticCode = "UNBALANCED_CONDITION"): void {
    this.problems.push({ code, position, message });
  }

  /** Positions are requested in ascending order, so each line is counted once. */
  #positionAt(offset: number): Position {
    for (;;) {
      const newline = this.#source.indexOf("\n", this.#seenTo);
      if (newline < 0 || newline >= offset) break;
      this.#line += 1;
      this.#lineStart = this.#seenTo = newline + 1;
    }
    return { line: this.#line, column: offset - this.#lineStart + 1 };
  }
}

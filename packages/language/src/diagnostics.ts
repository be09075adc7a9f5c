import { definitionLimits } from "./definition-limits.ts";
import { type Budget, closest } from "./names/suggest.ts";

export type Severity = "error" | "warning" | "info";

/** Every code that the compiler can report, with its severity. Codes never change once shipped. */
export const diagnosticCodes = {
  INVALID_YAML: "error",
  DUPLICATE_KEY: "error",
  UNKNOWN_KEY: "error",
  WRONG_TYPE: "error",
  MISSING_FIELD: "error",
  INVALID_SLUG: "error",
  INVALID_NAME: "error",
  UNKNOWN_TYPE: "error",
  CIRCULAR_TYPE: "error",
  INVALID_UNION: "error",
  UNKNOWN_PROMPT: "error",
  CIRCULAR_PROMPT: "error",
  UNBALANCED_CONDITION: "error",
  UNDECLARED_VARIABLE: "error",
  ENUM_MISMATCH: "error",
  UNKNOWN_TOOL: "error",
  /** `approval` names a parameter that its tool lacks. */
  UNKNOWN_PARAMETER: "error",
  UNKNOWN_WORKER: "error",
  /** Cycles through other agents are reported by `checkWorkers`, which knows them. */
  WORKER_CYCLE: "error",
  UNKNOWN_MCP_SERVER: "error",
  UNKNOWN_SKILL: "error",
  UNKNOWN_REFERENCE: "error",
  MISSING_HANDLER: "error",
  MISSING_TRIGGER: "error",
  UNKNOWN_THREAD: "error",
  UNKNOWN_BLOCK: "error",
  INVALID_MODEL: "error",
  PROVIDER_MISMATCH: "error",
  RESERVED_NAME: "error",
  INVALID_RESPONSE_TYPE: "error",
  FORMAT_MISMATCH: "error",
  READONLY_RESOURCE: "error",
  DUPLICATE_PROMPT: "error",
  /** Text with control characters, or with half a surrogate pair. */
  INVALID_TEXT: "error",
  /** Larger than `definitionLimits` allow. */
  LIMIT_EXCEEDED: "error",
  DEPRECATED_FIELD: "warning",
  UNKNOWN_MODEL: "warning",
  UNUSED_PROMPT: "warning",
  UNUSED_REFERENCE: "warning",
  UNUSED_VARIABLE: "warning",
  UNWRITTEN_VARIABLE: "warning",
  /** A tool, a skill or an MCP server. */
  UNUSED_TOOL: "warning",
  /** A pattern of `tools` in `mcpServers` that matches no tool of a computer. */
  UNMATCHED_PATTERN: "warning",
  UNMAPPED_PLACEHOLDER: "warning",
  MISSING_DISPLAY_TITLE: "warning",
  /** Declared but never run. From `checkWorkers`: the project has no such agent. */
  UNREACHABLE_WORKER: "warning",
  /** A server with `source: remote` that the project has not registered. */
  UNREGISTERED_MCP_SERVER: "warning",
  /** A part of the language that this server does not run yet. */
  NOT_AVAILABLE: "warning",
  IMPLICIT_DEFAULT: "info",
  SUGGEST_AGENTIC: "info",
  /** A tag in a prompt that stays unchanged. */
  UNKNOWN_TAG: "info",
  UNUSED_MAPPING: "info",
  UNANSWERED_MESSAGE: "info",
} as const satisfies Record<string, Severity>;

export type DiagnosticCode = keyof typeof diagnosticCodes;

export interface Diagnostic {
  readonly code: DiagnosticCode;
  /** Dotted, from the root of the protocol: `handlers.user-message.Respond.tool`; or `prompts.0.content`. */
  readonly path: string;
  /** One or two sentences, with line and column if they are known. */
  readonly message: string;
  readonly severity: Severity;
  /** Closest known names. */
  readonly suggestions?: readonly string[];
}

/** A place in the protocol, in a prompt, or (without a position) in the settings. */
export interface Place {
  readonly path: string;
  readonly position?: Position;
}

/** Both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Collects at most `definitionLimits.diagnostics` diagnostics, so that a hostile definition stays cheap. */
export class Report {
  readonly #diagnostics: Diagnostic[] = [];
  #failed = false;
  #left = 0;
  readonly #comparisons: Budget = { left: definitionLimits.comparisons };

  get failed(): boolean {
    return this.#failed;
  }

  /**
   * `known` contains either the suggestions, or the valid names, of which the closest to `name` are suggested. Returns
   * the suggestions. Beyond the limit, no more names are compared.
   */
  add(
    code: DiagnosticCode,
    place: Place,
    text: string,
    known: readonly string[] | { readonly name: string; readonly among: Iterable<string> } = [],
  ): readonly string[] {
    const severity = diagnosticCodes[code];
    if (severity === "error") this.#failed = true;
    if (!this.#makeRoom(severity)) return [];
    const suggestions = "among" in known ? this.closest(known.name, known.among) : known;
    const { position } = place;
    const hint = suggestions[0] === undefined ? "" : ` Did you mean ${suggestions[0]}?`;
    const where = position === undefined ? "" : `Line ${position.line}, column ${position.column}: `;
    const message = `${where}${text}${hint}`;
    const base = { code, path: cut(place.path, 300), message, severity };
    this.#diagnostics.push(suggestions.length === 0 ? base : { ...base, suggestions });
    return suggestions;
  }

  /** Adds to this report, with a sentence after each message. */
  noting(note: string): Report {
    return new NotingReport(this, note);
  }

  /** If the list is full, an error replaces the last entry of a lower severity: errors must be fixed first. */
  #makeRoom(severity: Severity): boolean {
    if (this.#diagnostics.length < definitionLimits.diagnostics) return true;
    this.#left += 1;
    const last =
      severity === "error" ? this.#diagnostics.findLastIndex((each) => each.severity !== "error") : -1;
    if (last >= 0) this.#diagnostics.splice(last, 1);
    return last >= 0;
  }

  /** The closest of the names, unless too many have been compared for this definition already. */
  closest(name: string, among: Iterable<string>, slips?: number): readonly string[] {
    return closest(name, among, slips, this.#comparisons);
  }

  list(): readonly Diagnostic[] {
    const last = this.#diagnostics.at(-1);
    if (this.#left === 0 || last === undefined) return this.#diagnostics;
    // Too many warnings are not an error: the definition can be used.
    if (!this.#failed) {
      const message = `${last.message} (${this.#left} more warnings are not listed.)`;
      return [...this.#diagnostics.slice(0, -1), { ...last, message }];
    }
    const message = `There are ${this.#left} more diagnostics; fix these first.`;
    return [...this.#diagnostics, { code: "LIMIT_EXCEEDED", path: "", message, severity: "error" }];
  }
}

class NotingReport extends Report {
  readonly #to: Report;
  readonly #note: string;

  constructor(to: Report, note: string) {
    super();
    this.#to = to;
    this.#note = note;
  }

  override get failed(): boolean {
    return this.#to.failed;
  }

  override add(...[code, place, text, known]: Parameters<Report["add"]>): readonly string[] {
    return this.#to.add(code, place, `${text} ${this.#note}`, known);
  }

  override closest(...search: Parameters<Report["closest"]>): readonly string[] {
    return this.#to.closest(...search);
  }
}

/** Quotes a piece of the author's text for a message. */
export function quote(text: string): string {
  return JSON.stringify(cut(text, 60));
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

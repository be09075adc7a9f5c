import { type IssueInput, Reason, rpcError } from "./errors.ts";

/** Collects the problems of a request, so that all of them are reported at once. */
export class Issues {
  readonly #issues: IssueInput[];
  readonly #within: string;

  /** `parent`: the issues of the whole request, of which this is the part at the path. */
  constructor(parent?: Issues, path = "") {
    this.#issues = parent === undefined ? [] : parent.#issues;
    this.#within = parent === undefined ? "" : `${parent.#within}${path}.`;
  }

  /** `message` completes a sentence that begins with the path: "must be …", "is required". */
  add(path: string, message: string): void {
    this.#issues.push({ path: this.#within + path, message });
  }

  /** Reports a text that is empty or too long. */
  checkLength(path: string, text: string, bounds: { min?: number; max: number }): void {
    const { min = 0, max } = bounds;
    if (text.length >= min && text.length <= max) return;
    this.add(path, text.length === 0 ? "is required" : `must have at most ${max} characters`);
  }

  /** Throws INVALID_REQUEST if anything was reported. */
  refuse(): void {
    if (this.#issues.length > 0) throw refusal(this.#issues);
  }
}

/** INVALID_REQUEST with a single issue. `message` completes a sentence that begins with the path. */
export function invalidRequest(path: string, message: string) {
  return refusal([{ path, message }]);
}

const maxListed = 3;

/** The first three issues as one sentence, for clients that show only an error's message. */
export function summarise(subject: string, issues: readonly IssueInput[]): string {
  const listed = issues
    .slice(0, maxListed)
    .map(({ path, message }) => `${shortPath(path) || "it"} ${message}`);
  const left = issues.length - listed.length;
  const more = left > 0 ? `; and ${left} more` : "";
  return `The ${subject} is invalid: ${listed.join("; ")}${more}.`;
}

const maxSentenceLength = 240;

/** The first three sentences about what is wrong, for clients that show only an error's message. */
export function firstProblems(sentences: readonly string[]): string {
  const listed = sentences.slice(0, maxListed).map(shortSentence);
  const left = sentences.length - listed.length;
  return [...listed, ...(left > 0 ? [`And ${left} more: see issues.`] : [])].join(" ");
}

function shortSentence(sentence: string): string {
  if (sentence.length <= maxSentenceLength) return sentence;
  return `${sentence.slice(0, maxSentenceLength - 1)}…`.toWellFormed();
}

const maxPathLength = 100;

/** Keys of the request are part of a path, so it can be as long as the request itself. Keeps both ends. */
export function shortPath(path: string): string {
  if (path.length <= maxPathLength) return path;
  // The cut may divide a surrogate pair.
  return `${path.slice(0, 60)}…${path.slice(61 - maxPathLength)}`.toWellFormed();
}

function refusal(issues: readonly IssueInput[]) {
  return rpcError(Reason.INVALID_REQUEST, summarise("request", issues), { issues });
}

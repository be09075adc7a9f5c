import { type IssueInput, Reason, rpcError } from "@muster/rpc";

/** Collects what is wrong with a request, so that a caller learns all of it at once. */
export class Issues {
  readonly #issues: IssueInput[] = [];

  add(path: string, message: string): void {
    this.#issues.push({ path, message });
  }

  /** Reports the text's length unless it is within the bounds. */
  checkLength(path: string, text: string, bounds: { min?: number; max: number }): void {
    const { min = 0, max } = bounds;
    if (text.length >= min && text.length <= max) return;
    this.add(path, text.length === 0 ? "is required" : `must have at most ${max} characters`);
  }

  /** Throws INVALID_REQUEST when anything was reported. */
  refuse(): void {
    if (this.#issues.length === 0) return;
    throw rpcError(Reason.INVALID_REQUEST, summary(this.#issues), { issues: this.#issues });
  }
}

/** Refuses a request for one thing that is wrong with it. */
export function invalidRequest(path: string, message: string) {
  const issue = { path, message };
  return rpcError(Reason.INVALID_REQUEST, summary([issue]), { issues: [issue] });
}

function summary(issues: readonly IssueInput[]): string {
  const [first] = issues;
  if (first === undefined || issues.length > 1) return "The request has problems; see issues.";
  return `The request has a problem: ${first.path || "it"} ${first.message}.`;
}

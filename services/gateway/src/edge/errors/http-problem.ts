import type { IssueInput } from "@muster/rpc";
import { type PublicCode, statusOfCode } from "@muster/wire/error-codes";

export interface ProblemExtra {
  /** The invalid parts of the request. */
  issues?: readonly IssueInput[];
  /** Sent as Retry-After, in whole seconds. 429 and 503 always carry one. */
  retryAfterMs?: number;
  /** The thread that occupies the agent, for AGENT_BUSY. Null: another dispatch is just starting. */
  currentThreadId?: string | null;
  /** Further response headers, such as Allow. */
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
  /** The part that refused the request before anything was done for it. */
  refusedBy?: Refusal | undefined;
}

/** A bound of the gateway. `event_loop`: the process is too busy; `overload`: too many or too large requests are in progress. */
export type Refusal = "overload" | "rate_limit" | "event_loop";

/** A response other than a success, as the client sees it: one sentence that says what to do, and a code. */
export class HttpProblem extends Error {
  readonly code: PublicCode;
  readonly issues: readonly IssueInput[];
  readonly headers: Readonly<Record<string, string>>;
  readonly refusedBy: Refusal | undefined;
  readonly #currentThreadId: string | null | undefined;

  constructor(code: PublicCode, message: string, extra: ProblemExtra = {}) {
    super(message, { cause: extra.cause });
    this.name = "HttpProblem";
    this.code = code;
    this.issues = extra.issues ?? [];
    this.refusedBy = extra.refusedBy;
    this.#currentThreadId = extra.currentThreadId;
    this.headers = { ...headersOf(code, extra.retryAfterMs), ...extra.headers };
  }

  get status(): number {
    return statusOfCode[this.code];
  }

  /** The response body. */
  toJson(requestId: string): string {
    const issues = this.issues.length > 0 ? { issues: this.issues } : {};
    return JSON.stringify({
      error: this.message,
      code: this.code,
      requestId,
      ...issues,
      currentThreadId: this.#currentThreadId,
    });
  }
}

function headersOf(code: PublicCode, retryAfterMs: number | undefined): Record<string, string> {
  const status = statusOfCode[code];
  if (status === 401) return { "www-authenticate": "Bearer" };
  if (status === 429 || status === 503 || retryAfterMs !== undefined) {
    return { "retry-after": String(Math.max(1, Math.ceil((retryAfterMs ?? 1_000) / 1_000))) };
  }
  return {};
}

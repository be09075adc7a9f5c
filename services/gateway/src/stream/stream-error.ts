import type { HttpProblem } from "../errors/http-problem.ts";

/** The `error` event for a failure that is the platform's and not the model's. */
export interface StreamErrorEvent {
  type: "error";
  errorType: "internal_error";
  message: string;
  source: "platform";
  retryable: boolean;
  code: string;
}

export function streamErrorOf(problem: HttpProblem): StreamErrorEvent {
  return {
    type: "error",
    errorType: "internal_error",
    message: problem.message,
    source: "platform",
    retryable: problem.status === 503 || problem.status === 504,
    code: problem.code,
  };
}

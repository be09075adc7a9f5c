import type { Hint } from "./hint-text.ts";

/** Exit codes of the process. docs/cli.md explains them. */
export const exitCodes = {
  fine: 0,
  /** The command ran and found problems or differences, or the server rejected the request. */
  failure: 1,
  /** The command line or the environment is wrong; or `diff --exit-code` found differences. */
  usage: 2,
  /** The server cannot be reached, or failed. */
  server: 3,
  /** A run is blocked: a limit of the month is reached. */
  blocked: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Error codes of the command itself, not of a server. docs/cli.md lists them. */
export const ownCodes = [
  "USAGE",
  "ABORTED",
  "CANNOT_REACH_SERVER",
  "REDIRECTED",
  "UNEXPECTED_RESPONSE",
  "INVALID_FOLDER",
  "INVALID_DEFINITION",
  "INVALID_PROJECT",
  "CHANGED_ON_SERVER",
  "CHANGED_LOCALLY",
  "FOLDER_IN_USE",
  "WORKER_AGENT",
  "INTERACTIVE_AGENT",
  "BACKUP_FAILED",
  "NO_RECORDING",
  "BROKEN_CHAIN",
  "NO_SERVER",
  "UNKNOWN_PROCESS",
  "CANNOT_CONNECT",
] as const;

export type OwnCode = (typeof ownCodes)[number];

/** One problem of a failure that has several. */
export interface Issue {
  readonly path: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly severity?: string | undefined;
}

interface Details {
  hint?: Hint | undefined;
  requestId?: string | undefined;
  status?: number | undefined;
  issues?: readonly Issue[] | undefined;
}

/** Ends the command with a message for the user. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** SCREAMING_SNAKE: the server's code, an OwnCode, or `HTTP_` and the status of a response without a code. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** HTTP status. */
  readonly status: number | undefined;
  readonly issues: readonly Issue[];
  readonly hint: Hint | undefined;

  constructor(exitCode: ExitCode, code: string, message: string, details: Details = {}) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.requestId = details.requestId;
    this.status = details.status;
    this.issues = details.issues ?? [];
    this.hint = details.hint;
  }
}

/** The command line or the environment is wrong. */
export function usageError(message: string): CliError {
  return new CliError(exitCodes.usage, "USAGE", message);
}

/** The command cannot do what the user asked for. */
export function failure(
  code: OwnCode,
  message: string,
  details?: Pick<Details, "issues" | "hint">,
): CliError {
  return new CliError(exitCodes.failure, code, message, details);
}

/** The server cannot be reached, or its response is not that of a Muster server. */
export function serverFailure(code: OwnCode, message: string, status?: number): CliError {
  return new CliError(exitCodes.server, code, message, { status });
}

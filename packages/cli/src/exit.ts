/** What the process ends with; docs/cli.md explains them. */
export const exitCodes = {
  fine: 0,
  /** The command worked and found something, or the server refused what was asked. */
  failure: 1,
  usage: 2,
  /** The server cannot be reached, or failed. */
  server: 3,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The codes of failures that no server told; docs/cli.md lists them. */
export const ownCodes = [
  "USAGE",
  "ABORTED",
  "CANNOT_REACH_SERVER",
  "REDIRECTED",
  "UNEXPECTED_ANSWER",
  "INVALID_FOLDER",
  "INVALID_DEFINITION",
  "CHANGED_ON_SERVER",
  "CHANGED_LOCALLY",
  "FOLDER_IN_USE",
  "WORKER_AGENT",
] as const;

export type OwnCode = (typeof ownCodes)[number];

/** One of the things that are wrong. */
export interface Issue {
  readonly path: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly severity?: string | undefined;
}

interface Details {
  requestId?: string | undefined;
  status?: number | undefined;
  issues?: readonly Issue[] | undefined;
}

/** Ends the command with a message for its user. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** SCREAMING_SNAKE: the server's, an OwnCode, or `HTTP_` and the status of an answer without one. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** HTTP status. */
  readonly status: number | undefined;
  readonly issues: readonly Issue[];

  constructor(exitCode: ExitCode, code: string, message: string, details: Details = {}) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.requestId = details.requestId;
    this.status = details.status;
    this.issues = details.issues ?? [];
  }
}

/** The command line or the environment is not as it should be. */
export function usageError(message: string): CliError {
  return new CliError(exitCodes.usage, "USAGE", message);
}

/** Something that was asked for cannot be done. */
export function failure(code: OwnCode, message: string, issues?: readonly Issue[]): CliError {
  return new CliError(exitCodes.failure, code, message, { issues });
}

/** The server is not there, or what is there is none. */
export function serverFailure(code: OwnCode, message: string, status?: number): CliError {
  return new CliError(exitCodes.server, code, message, { status });
}

import { Code, ConnectError } from "@connectrpc/connect";
import {
  CurrentThreadSchema,
  ErrorInfoSchema,
  type Issue,
  IssueListSchema,
  Reason,
  RetryAfterSchema,
} from "@muster/proto/errors";

export { Reason };

/** One thing that is wrong with a request or a definition. */
export interface IssueInput {
  /** Dotted path, such as `prompts.0.name`; empty means the whole request or definition. */
  path: string;
  /** One sentence that states the expectation. */
  message: string;
  /** Machine-readable code; absent if there is none. */
  code?: string;
  /** Absent means error. */
  severity?: "error" | "warning" | "info";
  /** Closest known names. */
  suggestions?: string[];
}

/** Why a call failed, as reported by the service that refused it. */
export interface RpcFailure {
  /** `UNSPECIFIED` for any error that {@link rpcError} did not create; its message is for logs only. */
  reason: Reason;
  code: Code;
  message: string;
  issues: IssueInput[];
  retryAfterMs?: number;
  /** With AGENT_BUSY: the thread that occupies the agent; null if another dispatch is just starting. */
  currentThreadId?: string | null;
}

const codes: Readonly<Record<Reason, Code>> = {
  [Reason.UNSPECIFIED]: Code.Internal,
  [Reason.INVALID_REQUEST]: Code.InvalidArgument,
  [Reason.INVALID_INPUT]: Code.InvalidArgument,
  [Reason.INVALID_DEFINITION]: Code.InvalidArgument,
  [Reason.UNKNOWN_TRIGGER]: Code.InvalidArgument,
  [Reason.UNKNOWN_TOOL_CALL]: Code.InvalidArgument,
  [Reason.UNKNOWN_MESSAGE]: Code.InvalidArgument,
  [Reason.MODEL_NOT_RUNNABLE]: Code.FailedPrecondition,
  [Reason.UNAUTHENTICATED]: Code.Unauthenticated,
  [Reason.FORBIDDEN]: Code.PermissionDenied,
  [Reason.NOT_FOUND]: Code.NotFound,
  [Reason.SLUG_TAKEN]: Code.AlreadyExists,
  [Reason.SESSION_EXPIRED]: Code.FailedPrecondition,
  [Reason.SESSION_BUSY]: Code.Aborted,
  [Reason.AGENT_ARCHIVED]: Code.FailedPrecondition,
  [Reason.VERSION_MISMATCH]: Code.Aborted,
  [Reason.UNAVAILABLE]: Code.Unavailable,
  [Reason.TOO_LARGE]: Code.ResourceExhausted,
  [Reason.EVENTS_GONE]: Code.FailedPrecondition,
  [Reason.INVALID_IDEMPOTENCY_KEY]: Code.InvalidArgument,
  [Reason.IDEMPOTENCY_KEY_REUSED]: Code.AlreadyExists,
  [Reason.IDEMPOTENCY_KEY_IN_PROGRESS]: Code.Aborted,
  [Reason.STALE_DRIVER]: Code.Aborted,
  [Reason.AGENT_BUSY]: Code.FailedPrecondition,
  [Reason.AGENT_PAUSED]: Code.FailedPrecondition,
  [Reason.QUEUE_FULL]: Code.ResourceExhausted,
  [Reason.CAPABILITY_NOT_DECLARED]: Code.InvalidArgument,
  [Reason.THREAD_CLOSED]: Code.FailedPrecondition,
  [Reason.COMPUTER_IN_USE]: Code.FailedPrecondition,
  [Reason.APPROVAL_DECIDED]: Code.FailedPrecondition,
  [Reason.APPROVAL_EXPIRED]: Code.FailedPrecondition,
  [Reason.TOOL_CALL_ANSWERED]: Code.FailedPrecondition,
  [Reason.TOOL_CALL_CLOSED]: Code.FailedPrecondition,
  [Reason.USAGE_LIMIT]: Code.FailedPrecondition,
  [Reason.SPENDING_LIMIT]: Code.FailedPrecondition,
  [Reason.UNSUPPORTED_MEDIA_TYPE]: Code.InvalidArgument,
  [Reason.RECORDING_LOST]: Code.FailedPrecondition,
  [Reason.PRINCIPAL_REFUSED]: Code.Unauthenticated,
  [Reason.PRINCIPAL_EXPIRED]: Code.Unauthenticated,
  [Reason.STORAGE_FULL]: Code.ResourceExhausted,
  [Reason.RATE_LIMITED]: Code.ResourceExhausted,
};

// Errors travel in HTTP/2 headers, which peers commonly limit to 64 KiB in total, in base64.
const maxIssueBytes = 24 * 1024;
const maxTextLength = 1000;
/** gRPC's header for the time until a call may be repeated. A negative value forbids it. */
export const pushbackHeader = "grpc-retry-pushback-ms";

/**
 * The error that a service throws on purpose. `issues` go with the reasons for bad input, `retryAfterMs` (at
 * least 1) with those where waiting helps. Issues beyond 24 KiB are left out: they are reported once the first are
 * fixed. `cause` is logged where the error is created, and never sent.
 */
export function rpcError(
  reason: Reason,
  message: string,
  extra: {
    issues?: readonly IssueInput[];
    retryAfterMs?: number;
    /** With AGENT_BUSY; null if another dispatch is just starting. */
    currentThreadId?: string | null;
    /** Every instance would fail as well, so the caller's transport must not repeat the call by itself. */
    isFinal?: boolean;
    cause?: unknown;
  } = {},
): ConnectError {
  const error = new ConnectError(plain(message), codes[reason], undefined, undefined, extra.cause);
  error.details.push({ desc: ErrorInfoSchema, value: { reason } });
  if (extra.issues !== undefined && extra.issues.length > 0) {
    error.details.push({ desc: IssueListSchema, value: { issues: bounded(extra.issues) } });
  }
  if (extra.isFinal === true) error.metadata.set(pushbackHeader, "-1");
  if (extra.retryAfterMs !== undefined) {
    const milliseconds = Math.min(Math.max(1, Math.ceil(extra.retryAfterMs)), 0xffffffff);
    error.details.push({ desc: RetryAfterSchema, value: { milliseconds } });
  }
  if (extra.currentThreadId !== undefined) {
    error.details.push({ desc: CurrentThreadSchema, value: { threadId: extra.currentThreadId ?? "" } });
  }
  return error;
}

/** FORBIDDEN, with a sentence about the missing permission. */
export function forbidden(message: string): ConnectError {
  return rpcError(Reason.FORBIDDEN, message);
}

/** VERSION_MISMATCH. `subject`: such as "webhook". */
export function revisionMismatch(subject: string): ConnectError {
  const message = `The ${subject} does not have the expected revision. Read it again and repeat the change.`;
  return rpcError(Reason.VERSION_MISMATCH, message);
}

/** NOT_FOUND. `id`: the given one, which can be a slug by mistake. */
export function noSuchAgent(id = agentPrefix): ConnectError {
  if (id.startsWith(agentPrefix))
    return rpcError(Reason.NOT_FOUND, "The agent does not exist in this project.");
  const given = JSON.stringify(id.slice(0, 100));
  const remedy = "To name an agent by its slug, use agentSlug in a body, and ?by=slug in a path.";
  return rpcError(Reason.NOT_FOUND, `${given} is not the id of an agent, ${agentPrefix}…. ${remedy}`);
}

const agentPrefix = "agt_";

function bounded(issues: readonly IssueInput[]): IssueInput[] {
  let bytes = 0;
  const kept: IssueInput[] = [];
  for (const issue of issues) {
    const short = {
      ...issue,
      path: plain(issue.path),
      message: plain(issue.message),
      suggestions: issue.suggestions?.slice(0, 5).map(plain) ?? [],
    };
    bytes += Buffer.byteLength(JSON.stringify(short));
    if (bytes > maxIssueBytes) break;
    kept.push(short);
  }
  return kept;
}

/** Makes a text safe to send: user input in it may be long or contain half a surrogate pair. */
function plain(text: string): string {
  return text.slice(0, maxTextLength).toWellFormed();
}

/** Reads an error created by {@link rpcError}, on either side of the wire. Accepts any value and never throws. */
export function readRpcError(error: unknown): RpcFailure {
  if (!(error instanceof ConnectError)) {
    return {
      reason: Reason.UNSPECIFIED,
      code: Code.Internal,
      message: "The call failed unexpectedly.",
      issues: [],
    };
  }
  const reason = error.findDetails(ErrorInfoSchema)[0]?.reason ?? Reason.UNSPECIFIED;
  const retryAfter = error.findDetails(RetryAfterSchema)[0];
  const current = error.findDetails(CurrentThreadSchema)[0];
  return {
    // A newer peer may know reasons that this one does not.
    reason: reason in codes ? reason : Reason.UNSPECIFIED,
    code: error.code,
    message: error.rawMessage,
    issues: error.findDetails(IssueListSchema).flatMap((list) => list.issues.map(readIssue)),
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter.milliseconds }),
    ...(current === undefined ? {} : { currentThreadId: current.threadId || null }),
  };
}

function readIssue(issue: Issue): IssueInput {
  return {
    path: issue.path,
    message: issue.message,
    ...(issue.code === "" ? {} : { code: issue.code }),
    ...(isSeverity(issue.severity) ? { severity: issue.severity } : {}),
    ...(issue.suggestions.length === 0 ? {} : { suggestions: issue.suggestions }),
  };
}

function isSeverity(text: string): text is "error" | "warning" | "info" {
  return text === "error" || text === "warning" || text === "info";
}

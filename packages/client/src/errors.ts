import type { ErrorCode, Issue } from "./wire-types.ts";

/**
 * The codes that the client itself adds to those of the server. `CONNECTION_LOST`: no response, or only a part of it.
 * `OUTCOME_UNKNOWN`: the same, of a request that cannot be repeated safely and may have had its effect; read the state.
 * `UNEXPECTED_RESPONSE`: from a proxy, or from a server that is not Muster. `TURN_FAILED`: an `error` event without a code.
 */
export type ClientErrorCode = "CONNECTION_LOST" | "OUTCOME_UNKNOWN" | "UNEXPECTED_RESPONSE" | "TURN_FAILED";

export interface MusterErrorDetails {
  /** The HTTP status; 0 if no response has arrived, or for an `error` event. */
  status?: number | undefined;
  /** The id of the request in the server's log. */
  requestId?: string | undefined;
  /** How long the server asks to wait. */
  retryAfterMs?: number | undefined;
  /** The parts of the request that are wrong. */
  issues?: readonly Issue[] | undefined;
  cause?: unknown;
}

/** Every failure but an aborted signal, whose own reason is thrown. */
export class MusterError extends Error {
  override readonly name = "MusterError";
  readonly status: number;
  /** To branch on. Newer servers can send codes that this version does not know. */
  readonly code: ErrorCode | ClientErrorCode;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly issues: readonly Issue[];

  constructor(code: ErrorCode | ClientErrorCode, message: string, details: MusterErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.issues = details.issues ?? [];
  }
}

/** No token was available, so the request was not sent and can be repeated. */
export class NotSentError extends MusterError {
  constructor(cause: unknown) {
    super("CONNECTION_LOST", `getToken returned no token: ${reasonOf(cause)}.`, { cause });
  }
}

/** The same request can succeed later. */
export function isTemporary(error: unknown): error is MusterError {
  if (!(error instanceof MusterError)) return false;
  const { code, status } = error;
  return (
    code === "CONNECTION_LOST" || code === "IDEMPOTENCY_KEY_IN_PROGRESS" || status === 429 || status >= 500
  );
}

/** Reads an error response. Its body is not Muster's if a proxy has sent it. */
export async function errorOf(response: Response, url: string): Promise<MusterError> {
  const { status, headers } = response;
  const body: Partial<Record<string, unknown>> = await response.json().then(
    (json) => Object(json),
    () => ({}),
  );
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const details = {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
    issues: Array.isArray(body.issues) ? body.issues : undefined,
  };
  if (typeof body.code === "string" && typeof body.error === "string")
    return new MusterError(body.code as ErrorCode, body.error, details);
  return new MusterError("UNEXPECTED_RESPONSE", `${url} responded with status ${status}.`, details);
}

/** A request without a response, or with a part of one. */
export function connectionLost(url: string, cause: unknown): MusterError {
  return new MusterError("CONNECTION_LOST", `Cannot reach Muster at ${url}: ${reasonOf(cause)}.`, { cause });
}

/** Node puts the reason into the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return error.message;
}

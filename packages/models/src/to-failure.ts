import {
  APICallError,
  EmptyResponseBodyError,
  InvalidArgumentError,
  InvalidPromptError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import type { Secret } from "@muster/service";
import { type ErrorBody, parseBody, readErrorBody } from "./error-body.ts";
import { codesOf, describeThrown } from "./error-codes.ts";
import { type FailedProvider, ModelFailure } from "./failure.ts";
import {
  type FailureKind,
  failureTable,
  isTooLong,
  kindOfName,
  kindOfStatus,
  operatorKindOf,
} from "./failure-table.ts";
import { hideHost, hideKey, redact, redactSecrets } from "./redact.ts";
import { readRequestId, readRetryAfterMs } from "./response-headers.ts";

/** The known facts about a call that fails. */
export interface FailedCall {
  /** Public name of the provider. */
  name: string;
  model: string;
  /** Redacted from all of the provider's words. */
  apiKey?: Secret | undefined;
  /** Its host is redacted from the parts that users see of them. */
  baseUrl?: string | undefined;
  /** The key is the project's own. */
  isProjects?: boolean;
  /** Headers of the response, if it had begun. */
  headers?: Record<string, string> | undefined;
}

/** Creates a failure that was detected without an exception, such as a silent stream. */
export function modelFailure(kind: FailureKind, call: FailedCall, found: Found = {}): ModelFailure {
  const row = failureTable[kind];
  const words = hideKey(found.said ?? "", call.apiKey);
  const said = call.isProjects ? (row.sentenceOfProject ?? row.sentence) : row.sentence;
  const sentence = said.replace("{provider}", call.name);
  const detail = row.quotesProvider ? redact(hideHost(words || (found.problem ?? ""), call.baseUrl)) : "";
  const headers = found.headers ?? call.headers;
  const retryAfterMs = row.retryable
    ? (readRetryAfterMs(headers, Date.now()) ?? found.retryAfterMs)
    : undefined;
  const thrown = describeThrown(found.cause);
  return new ModelFailure({
    summary: sentence,
    message: detail ? `${sentence} It says: ${detail}` : sentence,
    errorType: row.errorType,
    source: row.source,
    retryable: row.retryable,
    transient: row.transient,
    ...(row.isTooLong && { isTooLong: true }),
    provider: describeProvider(call, found, headers),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(row.logsProvider && words && { said: redactSecrets(words) }),
    ...(found.cause !== undefined && { cause: found.cause }),
    ...(thrown !== undefined && { thrown }),
  });
}

/** Converts anything that a provider package threw, or put into an `error` part, into a failure. Never throws. */
export function toModelFailure(error: unknown, call: FailedCall): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const found: Found = { ...readError(error), cause: error };
  return modelFailure(kindOf(error, found), call, found);
}

export interface Found extends ErrorBody {
  headers?: Record<string, string>;
  /** The message of an exception of the package. May quote the conversation, so it never reaches a log. */
  problem?: string;
  cause?: unknown;
}

function kindOf(error: unknown, found: Found): FailureKind {
  const kind = kindOfReport(error, found);
  if (mayBeLength.has(kind) && isTooLong(found)) return "too-large";
  // Some providers report a wrong key or an empty account as an invalid request.
  return kind === "bad-request" || kind === "permission" ? (operatorKindOf(found) ?? kind) : kind;
}

/** A local server may report it as its own fault, or in a stream without a status. */
const mayBeLength: ReadonlySet<FailureKind> = new Set(["bad-request", "server-error", "unknown"]);

function kindOfReport(error: unknown, found: Found): FailureKind {
  const named = found.errorName === undefined ? undefined : kindOfName(found.errorName);
  const status = found.statusCode;
  if (status !== undefined && status >= 300) {
    const kind = kindOfStatus(status);
    // The status decides, except where one status has two meanings.
    const isFiner =
      (status === 429 && named === "quota") || ((status === 400 || status === 500) && named === "too-large");
    return isFiner && named !== undefined ? named : kind;
  }
  if (named !== undefined) return named;
  return kindOfException(error);
}

function kindOfException(error: unknown): FailureKind {
  const code = networkCodeOf(error);
  if (code !== undefined) return networkKinds[code] ?? "connection";
  if (isUnreadable(error)) return "malformed";
  if (UnsupportedFunctionalityError.isInstance(error)) return "unsupported";
  if (InvalidPromptError.isInstance(error) || InvalidArgumentError.isInstance(error)) return "unsupported";
  if (LoadAPIKeyError.isInstance(error)) return "authentication";
  // `fetch` reports a truncated body as a TypeError without a code.
  if (error instanceof TypeError && error.message === "terminated") return "cut";
  // Anything but an exception came from the stream: the provider sent it.
  return error instanceof Error ? "internal" : "unknown";
}

function isUnreadable(error: unknown): boolean {
  return (
    APICallError.isInstance(error) ||
    EmptyResponseBodyError.isInstance(error) ||
    InvalidResponseDataError.isInstance(error) ||
    JSONParseError.isInstance(error) ||
    TypeValidationError.isInstance(error)
  );
}

const networkKinds: Readonly<Record<string, FailureKind>> = {
  ECONNREFUSED: "connection",
  ENOTFOUND: "connection",
  EAI_AGAIN: "connection",
  EHOSTUNREACH: "connection",
  ENETUNREACH: "connection",
  UND_ERR_CONNECT_TIMEOUT: "connection",
  ETIMEDOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ECONNRESET: "cut",
  EPIPE: "cut",
  UND_ERR_SOCKET: "cut",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "cut",
  UND_ERR_ABORTED: "cut",
  ERR_STREAM_PREMATURE_CLOSE: "cut",
  ERR_RESPONSE_TOO_LARGE: "oversized",
};

function networkCodeOf(error: unknown): string | undefined {
  return codesOf(error).find(isNetworkCode);
}

function isNetworkCode(code: string): boolean {
  return Object.hasOwn(networkKinds, code) || code.startsWith("UND_ERR_") || code.startsWith("HPE_");
}

function readError(error: unknown): Found {
  if (APICallError.isInstance(error)) {
    return {
      // `data` is only the part of the body that the package knows.
      ...readErrorBody(parseBody(error.responseBody) ?? error.data),
      ...(error.statusCode !== undefined && { statusCode: error.statusCode }),
      ...(error.responseHeaders !== undefined && { headers: error.responseHeaders }),
    };
  }
  if (error instanceof Error) return { problem: error.message };
  return readErrorBody(error);
}

function describeProvider(call: FailedCall, found: Found, headers?: Record<string, string>): FailedProvider {
  const requestId = readRequestId(headers);
  const { errorName } = found;
  return {
    name: call.name,
    model: call.model,
    ...(found.statusCode !== undefined && { statusCode: found.statusCode }),
    // A name that looks like a host or key is not a name for a failure.
    ...(errorName !== undefined &&
      redact(hideHost(hideKey(errorName, call.apiKey), call.baseUrl)) === errorName && {
        errorType: errorName,
      }),
    ...(requestId !== undefined && { requestId }),
  };
}

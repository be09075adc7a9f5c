import type { StreamErrorType } from "@muster/wire/error-codes";
import { refusesLength } from "./refuses-length.ts";

/** Every way in which a model call can fail. */
export type FailureKind =
  | "bad-request"
  | "too-large"
  | "authentication"
  | "permission"
  | "not-found"
  | "quota"
  | "rate-limit"
  | "overloaded"
  | "timeout"
  | "server-error"
  | "connection"
  | "cut"
  | "malformed"
  | "oversized"
  | "redirected"
  | "silent"
  | "unsupported"
  | "unknown"
  | "internal";

export interface FailureRow {
  errorType: StreamErrorType;
  source: "provider" | "platform";
  retryable: boolean;
  transient: boolean;
  /** One sentence for users. `{provider}` is replaced. */
  sentence: string;
  /** The sentence if the model is called with the project's own key. Default: the same. */
  sentenceOfProject?: string;
  /** The provider's own words follow the sentence, redacted. Only for failures that are about the request. */
  quotesProvider?: true;
  /** The conversation is at fault, and the same call with a shorter one may succeed. */
  isTooLong?: true;
  /** The provider's own words go to the log. Not for failures that are about the request: they may repeat it. */
  logsProvider?: true;
}

const permanent = { source: "provider", retryable: false, transient: false } as const;
const passing = { source: "provider", retryable: true, transient: true } as const;

/** The one table of failures: the meaning of each kind to users and to the engine. */
export const failureTable: Record<FailureKind, FailureRow> = {
  "bad-request": {
    ...permanent,
    errorType: "validation_error",
    sentence: "The model provider {provider} refused the request as invalid.",
    quotesProvider: true,
  },
  "too-large": {
    ...permanent,
    errorType: "validation_error",
    sentence: "The conversation is longer than this model of {provider} accepts.",
    quotesProvider: true,
    isTooLong: true,
  },
  authentication: {
    ...permanent,
    errorType: "authentication_error",
    sentence: "The model provider {provider} refused the configured API key; the operator must correct it.",
    sentenceOfProject:
      "The model provider {provider} refused the project's own API key; an admin of the project must replace it.",
    logsProvider: true,
  },
  permission: {
    ...permanent,
    errorType: "permission_error",
    sentence: "The configured API key of the model provider {provider} may not use this model.",
    sentenceOfProject: "The project's own API key for the model provider {provider} may not use this model.",
    logsProvider: true,
  },
  "not-found": {
    ...permanent,
    errorType: "not_found_error",
    sentence: "The model provider {provider} does not know this model; check the model id.",
  },
  quota: {
    source: "provider",
    errorType: "quota_exceeded_error",
    retryable: false,
    // Another provider has a quota of its own.
    transient: true,
    sentence: "The account at the model provider {provider} has used up its quota.",
    sentenceOfProject: "The project's own account at the model provider {provider} has used up its quota.",
    logsProvider: true,
  },
  "rate-limit": {
    ...passing,
    errorType: "rate_limit_error",
    sentence: "The model provider {provider} limits the rate of requests; try again later.",
    logsProvider: true,
  },
  overloaded: {
    ...passing,
    errorType: "provider_overloaded",
    sentence: "The model provider {provider} is overloaded; try again later.",
    logsProvider: true,
  },
  timeout: {
    ...passing,
    errorType: "provider_timeout",
    sentence: "The model provider {provider} did not respond in time; try again.",
    logsProvider: true,
  },
  "server-error": {
    ...passing,
    errorType: "provider_error",
    sentence: "The model provider {provider} reported an internal error; try again.",
    logsProvider: true,
  },
  connection: {
    ...passing,
    errorType: "provider_error",
    sentence: "The model provider {provider} could not be reached; try again.",
  },
  cut: {
    ...passing,
    errorType: "provider_error",
    sentence: "The reply from the model provider {provider} broke off; try again.",
  },
  malformed: {
    ...passing,
    errorType: "provider_error",
    sentence: "The reply from the model provider {provider} could not be read; try again.",
  },
  oversized: {
    ...permanent,
    errorType: "provider_error",
    // A reply of another provider may fit.
    transient: true,
    sentence: "The reply from the model provider {provider} is larger than this server accepts.",
  },
  redirected: {
    ...permanent,
    errorType: "provider_error",
    sentence:
      "The model provider {provider} sent a redirect; the operator must set its base URL to the redirect's target.",
  },
  silent: {
    ...passing,
    errorType: "provider_timeout",
    sentence: "The model provider {provider} stopped responding; try again.",
  },
  unsupported: {
    errorType: "validation_error",
    source: "platform",
    retryable: false,
    transient: false,
    sentence: "The request uses a feature that this model of {provider} does not support.",
    quotesProvider: true,
  },
  unknown: {
    ...permanent,
    errorType: "unknown_error",
    sentence: "The model provider {provider} reported an unknown error.",
  },
  internal: {
    errorType: "internal_error",
    source: "platform",
    retryable: false,
    transient: false,
    sentence: "The call to the model provider {provider} failed inside Muster; see the server log.",
  },
};

const kindsByStatus: Readonly<Record<number, FailureKind>> = {
  401: "authentication",
  402: "quota",
  403: "permission",
  404: "not-found",
  408: "timeout",
  409: "server-error",
  413: "too-large",
  425: "server-error",
  429: "rate-limit",
  503: "overloaded",
  504: "timeout",
  529: "overloaded",
};

export function kindOfStatus(statusCode: number): FailureKind {
  const kind = kindsByStatus[statusCode];
  if (kind !== undefined) return kind;
  if (statusCode >= 500) return "server-error";
  return statusCode >= 400 ? "bad-request" : "redirected";
}

// Providers name failures in `type` or `code` of the error body. The first matching fragment decides.
const kindsByName: ReadonlyArray<readonly [fragment: string, kind: FailureKind]> = [
  ["insufficient_quota", "quota"],
  ["billing", "quota"],
  ["rate_limit", "rate-limit"],
  ["resource_exhausted", "rate-limit"],
  ["overloaded", "overloaded"],
  ["unavailable", "overloaded"],
  ["timeout", "timeout"],
  ["deadline_exceeded", "timeout"],
  ["authentication", "authentication"],
  ["invalid_api_key", "authentication"],
  ["unauthenticated", "authentication"],
  ["permission", "permission"],
  ["not_found", "not-found"],
  ["request_too_large", "too-large"],
  ["context_length", "too-large"],
  ["context_size", "too-large"],
  ["context_window", "too-large"],
  ["invalid", "bad-request"],
  ["bad_request", "bad-request"],
  ["server_error", "server-error"],
  ["api_error", "server-error"],
  ["internal", "server-error"],
];

export function kindOfName(name: string): FailureKind | undefined {
  const lower = name.toLowerCase();
  return kindsByName.find(([fragment]) => lower.includes(fragment))?.[1];
}

// Failures that only the operator can end, but that some providers report with the status of an invalid request.
const operatorReasons: ReadonlyMap<string, FailureKind> = new Map([
  ["API_KEY_INVALID", "authentication"],
  ["API_KEY_EXPIRED", "authentication"],
  ["BILLING_DISABLED", "quota"],
]);
const operatorWords: ReadonlyArray<readonly [words: RegExp, kind: FailureKind]> = [
  [/credit balance|(?:insufficient|not enough) (?:credits?|funds|balance)/, "quota"],
  [/(?:used|spent) all (?:available |your )*credits|spending limit|exceeded your current quota/, "quota"],
  [/\b(?:invalid|incorrect|wrong|expired|missing) api key/, "authentication"],
  [/api key (?:is )?(?:not valid|invalid|incorrect|wrong|expired|missing|not found)/, "authentication"],
];

// Names of failures that are about the request: the words may then repeat any part of it.
const requestNames =
  /content|context|parameter|param$|invalid_(?:image|prompt|schema|type|value)|moderation|not_found|policy|safety|too_(?:large|long|many)|max_length|unsupported/i;

// Quotations are the user's words. An apostrophe inside a word does not end one; an unclosed one extends to the end.
const quotations =
  /"(?:[^"\\]|\\.)*(?:"|$)|`[^`]*(?:`|$)|“[^”]*(?:”|$)|(?<!\w)'(?:[^']|'(?=\w))*(?:'|$)|(?<!\w)‘(?:[^’]|’(?=\w))*(?:’|$)/gs;

/** Recognises a wrong key or an empty account by the provider's reason or words. */
export function operatorKindOf(found: {
  reasons?: string[];
  errorName?: string;
  said?: string;
}): FailureKind | undefined {
  const reason = found.reasons?.map((name) => operatorReasons.get(name)).find((kind) => kind !== undefined);
  if (reason !== undefined) return reason;
  if (found.said === undefined || (found.errorName !== undefined && requestNames.test(found.errorName)))
    return undefined;
  const words = plainWords(found.said);
  return operatorWords.find(([pattern]) => pattern.test(words))?.[1];
}

/** Recognises a conversation that is too long by the provider's words. */
export function isTooLong({ said }: { said?: string }): boolean {
  return said !== undefined && refusesLength(plainWords(said));
}

/** The provider's words without the user's. */
function plainWords(said: string): string {
  const words = said.slice(0, 1000).replace(quotations, " ").toLowerCase();
  return words.replaceAll("%20", " ").replace(/[_-]/g, " ");
}

/** Every public error code with its HTTP status. */
export const statusOfCode = {
  INVALID_REQUEST: 400,
  INVALID_JSON: 400,
  INVALID_IDEMPOTENCY_KEY: 400,
  MODEL_NOT_RUNNABLE: 400,
  CAPABILITY_NOT_DECLARED: 400,
  UNKNOWN_TRIGGER: 400,
  INVALID_INPUT: 400,
  UNKNOWN_TOOL_CALL: 400,
  UNKNOWN_MESSAGE: 400,
  FILE_TOO_LARGE: 400,
  UNSUPPORTED_MEDIA_TYPE: 400,
  UNAUTHENTICATED: 401,
  USAGE_LIMIT: 402,
  SPENDING_LIMIT: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  AGENT_BUSY: 409,
  AGENT_PAUSED: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  IDEMPOTENCY_KEY_IN_PROGRESS: 409,
  SLUG_TAKEN: 409,
  SESSION_EXPIRED: 409,
  AGENT_ARCHIVED: 409,
  THREAD_CLOSED: 409,
  EVENTS_GONE: 410,
  VERSION_MISMATCH: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_CONTENT_TYPE: 415,
  INVALID_DEFINITION: 422,
  RATE_LIMITED: 429,
  SESSION_BUSY: 429,
  QUEUE_FULL: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  UPSTREAM: 502,
  UNAVAILABLE: 503,
  TIMEOUT: 504,
} as const;

/** Codes of features that are not available yet: fixed, so that clients can prepare for them. No response has one. */
export const reservedCodes = ["FILE_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const satisfies ReadonlyArray<
  keyof typeof statusOfCode
>;

/** A code that responses can have. A reserved one does not compile as one until it is taken from the list. */
export type PublicCode = Exclude<keyof typeof statusOfCode, (typeof reservedCodes)[number]>;

function isAvailable(code: string): code is PublicCode {
  return Object.hasOwn(statusOfCode, code) && !reservedCodes.some((reserved) => reserved === code);
}

/** The codes that responses can have. */
export const publicCodes: readonly PublicCode[] = Object.keys(statusOfCode).filter(isAvailable);

import type { statusOfCode } from "./public-codes.ts";

/** The meaning of every error code, and what to do, as in docs/errors.md and the OpenAPI document. */
export const meaningOfCode: Readonly<Record<keyof typeof statusOfCode, string>> = {
  INVALID_REQUEST:
    "A field, parameter or header is missing, of the wrong type, too long or out of range; see `issues`.",
  INVALID_JSON:
    "The body is not JSON, is not UTF-8, repeats a key, or contains the key `__proto__` or `constructor`.",
  INVALID_IDEMPOTENCY_KEY: "The idempotency key is not 1-255 printable ASCII characters without spaces.",
  MODEL_NOT_RUNNABLE: "No configured provider can run the model; configure one or choose another model.",
  CAPABILITY_NOT_DECLARED: "The agent's definition does not declare that capability; see `issues`.",
  UNKNOWN_TRIGGER: "The agent's definition has no trigger of that name.",
  INVALID_INPUT: "The input does not match what the definition declares; see `issues`.",
  UNKNOWN_TOOL_CALL: "A tool result refers to a call that is not pending.",
  UNKNOWN_MESSAGE:
    "`rollbackAfterMessageId` or `before` refers to a message that is not in the session; nothing was removed.",
  FILE_TOO_LARGE: "A file is larger than allowed.",
  UNSUPPORTED_MEDIA_TYPE: "A file's media type is not allowed.",
  UNAUTHENTICATED:
    "The credential is missing, malformed, unknown, expired or revoked, or a signed token that its identity provider's rules exclude; the response does not say which.",
  USAGE_LIMIT:
    "The agent, the key or the project has used up its monthly tokens or runs; raise the limit or wait for the next month.",
  SPENDING_LIMIT:
    "The agent, the key, the subject or the project has used up its monthly dollars, or the turn its `maxUsd`; raise the limit or wait for the next month.",
  FORBIDDEN: "The credential lacks a permission or a scope, which the message names.",
  NOT_FOUND: "The resource does not exist in this project. Resources of other projects look the same.",
  METHOD_NOT_ALLOWED: "The path exists but does not support this method; see the `Allow` header.",
  NOT_ACCEPTABLE:
    "The `Accept` header excludes the media type that the endpoint produces. Streams of events ignore the header.",
  REQUEST_TIMEOUT: "The request did not arrive in time; send it again.",
  AGENT_BUSY:
    "The agent has work, and `ifIdle` asked for an idle one; `currentThreadId` names the thread that occupies it.",
  AGENT_PAUSED: "The agent is paused; resume it first.",
  IDEMPOTENCY_KEY_REUSED: "The idempotency key was used with a different request.",
  IDEMPOTENCY_KEY_IN_PROGRESS:
    "The first request with that key is still being processed; wait for `Retry-After`.",
  SLUG_TAKEN: "Another active resource of its kind has that slug.",
  SESSION_EXPIRED: "The session has expired; restore it or create another.",
  AGENT_ARCHIVED: "The agent is archived.",
  APPROVAL_DECIDED: "The approval has another decision; read it again.",
  TOOL_CALL_ANSWERED: "The tool call has another result.",
  COMPUTER_IN_USE: "An agent uses the computer; delete the agent first.",
  THREAD_CLOSED: "The conversation of the thread is too large for more messages; start a new thread.",
  RECORDING_NOT_READY: "The video of the run does not exist yet; wait for `Retry-After`.",
  EVENTS_GONE: "The events of that execution are no longer kept; read the session instead.",
  APPROVAL_EXPIRED: "The approval can no longer be decided.",
  TOOL_CALL_CLOSED: "The tool call no longer waits for a result.",
  RECORDING_GONE: "The recording was deleted, on request or at the end of its retention.",
  VERSION_MISMATCH:
    "`If-Match` does not name the current version; read the resource again, then repeat the change.",
  PAYLOAD_TOO_LARGE:
    "The body is larger than 4 MiB (10 MiB for a start, a trigger or an execution), contains more than 100,000 values and keys or more than 64 levels, or the state to be stored is too large.",
  UNSUPPORTED_CONTENT_TYPE: "Send `Content-Type: application/json`, UTF-8, without `Content-Encoding`.",
  RANGE_NOT_SATISFIABLE: "The file ends before the requested range; see `Content-Range` for its size.",
  INVALID_DEFINITION:
    "The agent's definition has errors; `issues` are those that `POST /api/agents/validate` reports.",
  RATE_LIMITED: "Too many requests, or too many wrong credentials from one address; wait for `Retry-After`.",
  SESSION_BUSY:
    "Another execution of the session is running, or another request is continuing the worker execution; wait for `Retry-After`.",
  QUEUE_FULL: "The agent already has 1,000 waiting threads; wait for `Retry-After`.",
  HEADERS_TOO_LARGE: "The request's headers are larger than 16 KiB.",
  INTERNAL: "Our fault. Try again, and report the `requestId` if the error persists.",
  UPSTREAM: "A system behind the platform sent no usable response; try again.",
  UNAVAILABLE:
    "A part of the platform is starting, stopping, busy or unreachable, or refuses the calls of another part, which the message says; wait for `Retry-After`.",
  STORAGE_FULL:
    "The disk of the platform is full, and nothing was stored. Delete data, or ask its operator to free space: reading and deleting still work.",
  TIMEOUT: "The platform did not respond in time; try again.",
};

/** Wire format that a scripted provider speaks. */
export type ScriptedFormat = "openai" | "openai-responses" | "anthropic" | "google";

export interface ScriptedToolCall {
  /** Defaults to `call_1`, `call_2`, … throughout the script. */
  id?: string;
  name: string;
  /** An object is sent as JSON; a string is sent unchanged, valid or not (Google only sends objects). */
  arguments: Record<string, unknown> | string;
}

/** One piece of a reply. */
export type ScriptedPart =
  /** Text. A string is split into words, one chunk each; an array contains the chunks. */
  | { text: string | string[] }
  /** Reasoning, split the same way. */
  | { reasoning: string | string[] }
  | { toolCall: ScriptedToolCall }
  /** Parallel calls. Their arguments are interleaved if the format allows it. */
  | { toolCalls: ScriptedToolCall[] }
  /** An error event inside the stream. */
  | { error: ScriptedError }
  /** Text that is sent unchanged, for malformed streams. */
  | { raw: string }
  /** Pauses the stream until the promise is settled: for tests that act in the middle of a reply. */
  | ScriptedPause;

/** A function is called when the stream gets there. */
export interface ScriptedPause {
  until: Promise<unknown> | (() => Promise<unknown>);
}

export interface ScriptedError {
  message: string;
  /** The provider's name for the failure; defaults to one that fits the status. */
  type?: string;
  code?: string;
}

export interface ScriptedUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
}

interface Checked {
  /** Inspects the request; an error that it throws fails the test. */
  check?: (request: ScriptedRequest) => void;
}

/** The response to one request. Requests use the steps in their order of arrival. */
export type ScriptedStep = Checked &
  (
    | {
        parts: ScriptedPart[];
        /** Defaults to `tool-calls` if there are any, else to `stop`. Only Anthropic knows `pause`; elsewhere it is `stop`. */
        finish?: "stop" | "tool-calls" | "length" | "content-filter" | "pause";
        usage?: ScriptedUsage;
        /** Headers of the response, in addition to the content type. */
        headers?: Record<string, string>;
        /** Sends only so many chunks of the start and the parts, and then the ending. Default: all. */
        chunks?: number;
        /**
         * After the parts: a proper end (default), a broken connection, a clean end without a finish reason, an error
         * event, or silence.
         */
        ending?: "end" | "cut" | "stop-short" | "error" | "hang";
        /** Pause before every chunk. */
        chunkDelayMs?: number;
      }
    /** An HTTP error instead of a reply. */
    | { status: number; headers?: Record<string, string>; error?: ScriptedError; body?: string }
    /** Accepts the request and never responds. */
    | { silent: true }
  );

export type ScriptedAnswer = Extract<ScriptedStep, { parts: ScriptedPart[] }>;

export interface ScriptedRequest {
  /** Path and query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  /** Settled when the connection closes before the reply is complete. */
  clientGone: Promise<void>;
}

/** Encodes a reply in one provider's format. Stateful: one encoder per reply. */
export interface AnswerEncoder {
  start(): string[];
  part(part: Exclude<ScriptedPart, { raw: string } | ScriptedPause>): string[];
  end(finish: NonNullable<ScriptedAnswer["finish"]>, usage: ScriptedUsage): string[];
}

export function chunksOf(text: string | string[]): string[] {
  return typeof text === "string" ? (text.match(/\S+\s*|\s+/g) ?? []) : text;
}

/** Arguments in pieces of a few characters, as models stream them. */
export function piecesOf(call: ScriptedToolCall): string[] {
  const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
  return text.match(/.{1,7}/gs) ?? [];
}

export function callsOf(
  part: { toolCall: ScriptedToolCall } | { toolCalls: ScriptedToolCall[] },
): ScriptedToolCall[] {
  return "toolCall" in part ? [part.toolCall] : part.toolCalls;
}

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export function errorTypeOf(status: number): string {
  return errorTypes[status] ?? "api_error";
}

/** Wire format that a scripted provider speaks. */
export type ScriptedFormat = "openai" | "openai-responses" | "anthropic";

export interface ScriptedToolCall {
  /** `call_1`, `call_2`, … of the whole script unless given. */
  id?: string;
  name: string;
  /** An object is sent as JSON; a string is sent as it is, valid or not. */
  arguments: Record<string, unknown> | string;
}

/** One piece of an answer. */
export type ScriptedPart =
  /** Text. A string is cut into words, one chunk each; an array gives the chunks. */
  | { text: string | string[] }
  /** Reasoning, cut the same way. */
  | { reasoning: string | string[] }
  | { toolCall: ScriptedToolCall }
  /** Parallel calls. Where the format allows it their arguments arrive interleaved. */
  | { toolCalls: ScriptedToolCall[] }
  /** An error event inside the stream. */
  | { error: ScriptedError }
  /** Bytes as they are, for malformed streams. */
  | { raw: string }
  /** Holds the stream until the promise is settled: for tests that act in the middle of an answer. */
  | { until: Promise<unknown> };

export interface ScriptedError {
  message: string;
  /** The provider's name for the failure; made from the status unless given. */
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
  /** Looks at the request; what it throws fails the test. */
  check?: (request: ScriptedRequest) => void;
}

/** What happens to one request. Requests take the steps in their order of arrival. */
export type ScriptedStep = Checked &
  (
    | {
        parts: ScriptedPart[];
        /** `tool-calls` when there are any, else `stop`, unless given. */
        finish?: "stop" | "tool-calls" | "length" | "content-filter";
        usage?: ScriptedUsage;
        /** Headers of the answer, beside the content type. */
        headers?: Record<string, string>;
        /** What follows the parts: a proper end (default), a broken connection, an end without a word, or silence. */
        ending?: "end" | "cut" | "stop-short" | "hang";
        /** Pause before every chunk. */
        chunkDelayMs?: number;
      }
    /** An HTTP error instead of an answer. */
    | { status: number; headers?: Record<string, string>; error?: ScriptedError; body?: string }
    /** Takes the request and never answers. */
    | { silent: true }
  );

export type ScriptedAnswer = Extract<ScriptedStep, { parts: ScriptedPart[] }>;

export interface ScriptedRequest {
  /** Path and query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  /** Settled when the connection closes before the answer was complete. */
  clientGone: Promise<void>;
}

/** Turns an answer into what one provider would write. Stateful: one encoder per answer. */
export interface AnswerEncoder {
  start(): string[];
  part(part: Exclude<ScriptedPart, { raw: string } | { until: Promise<unknown> }>): string[];
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

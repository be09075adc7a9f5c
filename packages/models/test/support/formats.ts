import { encodeAnthropic } from "./encode-anthropic.ts";
import { encodeGoogle } from "./encode-google.ts";
import { encodeOpenAiChat } from "./encode-openai-chat.ts";
import { encodeOpenAiResponses } from "./encode-openai-responses.ts";
import { anthropicProblems } from "./history/anthropic.ts";
import { googleProblems } from "./history/google.ts";
import { openAiChatProblems } from "./history/openai-chat.ts";
import { openAiResponsesProblems } from "./history/openai-responses.ts";
import { type AnswerEncoder, errorTypeOf, type ScriptedError, type ScriptedFormat } from "./script.ts";

/** Everything that differs between the wire formats. */
export interface Format {
  path: RegExp;
  encoder(model: string, newCallId: () => string): AnswerEncoder;
  errorBody(status: number, error: ScriptedError): object;
  /** The provider's rules that the conversation in a request breaks. */
  problems(body: unknown, path: string): string[];
}

export const formats: Readonly<Record<ScriptedFormat, Format>> = {
  openai: {
    path: /^\/v1\/chat\/completions$/,
    encoder: encodeOpenAiChat,
    errorBody: openAiError,
    problems: openAiChatProblems,
  },
  "openai-responses": {
    path: /^\/v1\/responses$/,
    encoder: encodeOpenAiResponses,
    errorBody: openAiError,
    problems: openAiResponsesProblems,
  },
  anthropic: {
    path: /^\/v1\/messages$/,
    encoder: encodeAnthropic,
    errorBody: (status, { message, type = errorTypeOf(status) }) => ({
      type: "error",
      error: { type, message },
    }),
    problems: anthropicProblems,
  },
  google: {
    path: /^\/v1\/models\/[^/:]+:streamGenerateContent\?alt=sse$/,
    encoder: encodeGoogle,
    errorBody: (status, { message, type = googleStatuses[status] ?? "INVALID_ARGUMENT" }) => ({
      error: { code: status, message, status: type },
    }),
    problems: googleProblems,
  },
};

const googleStatuses: Readonly<Record<number, string>> = {
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function openAiError(status: number, { message, type = errorTypeOf(status), code }: ScriptedError): object {
  return { error: { message, type, code: code ?? null, param: null } };
}

import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Models } from "@muster/models";

export type Talk = (signal: AbortSignal | undefined) => AsyncIterable<LanguageModelV4StreamPart>;

/** Resolves every id to one model, for parts that no real provider can be made to send. */
export function modelsThat(talk: Talk): Models {
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "test",
    modelId: "test",
    supportedUrls: {},
    doStream: async ({ abortSignal }) => ({ stream: ReadableStream.from(talk(abortSignal)) }),
    doGenerate: () => Promise.reject(new Error("Not called")),
  };
  return {
    configuredProviders: () => [],
    checkProviders: async () => [],
    resolve: async () => ({ ok: true, model }),
    limits: { firstPartTimeoutMs: 10_000, stallTimeoutMs: 10_000 },
  };
}

export const finished: LanguageModelV4StreamPart = {
  type: "finish",
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
  finishReason: { unified: "stop", raw: "stop" },
};

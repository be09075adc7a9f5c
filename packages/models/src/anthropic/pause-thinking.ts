import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";

/**
 * A model that answers without thinking where Anthropic would refuse the request otherwise: it demands that a turn of
 * tool calls began with thinking that it signed. Another model may have begun the turn, or a caller restored it.
 */
export function pauseThinking(model: LanguageModelV4): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(allowed(options)),
    doStream: (options) => model.doStream(allowed(options)),
  };
}

function allowed(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  if (options.reasoning === undefined || !lacksThinking(options.prompt)) return options;
  const { reasoning: _, ...rest } = options;
  return rest;
}

/** Whether the latest answer made calls and did not begin with thinking. */
function lacksThinking(prompt: LanguageModelV4CallOptions["prompt"]): boolean {
  const answer = prompt.findLast(({ role }) => role === "assistant");
  if (answer?.role !== "assistant" || !answer.content.some(({ type }) => type === "tool-call")) return false;
  // The package omits reasoning that Anthropic did not sign.
  const first = answer.content.find((part) => part.type !== "reasoning" || isSigned(part.providerOptions));
  return first?.type !== "reasoning";
}

function isSigned(options: LanguageModelV4CallOptions["providerOptions"]): boolean {
  const { signature, redactedData } = options?.anthropic ?? {};
  return signature !== undefined || redactedData !== undefined;
}

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelCall } from "@muster/engine";

const bytesPerToken = 4;
/** The response of a call that sets no maximum, and of which the provider has its own. */
const usualOutputTokens = 4_096;

/** The tokens that a call can take. Files count as their names. */
export function estimateCall({ options }: Pick<ModelCall, "options">): LanguageModelV4Usage {
  const { prompt, tools = [], maxOutputTokens = usualOutputTokens } = options;
  return usageOf(inputTokensOf([prompt, tools]), maxOutputTokens);
}

/** The tokens that a call has taken until it ended before its provider reported them. */
export function estimateCut(
  { options }: Pick<ModelCall, "options">,
  outputBytes: number,
): LanguageModelV4Usage {
  const { prompt, tools = [] } = options;
  return usageOf(inputTokensOf([prompt, tools]), Math.ceil(outputBytes / bytesPerToken));
}

function inputTokensOf(parts: unknown): number {
  return Math.ceil(lengthOf(parts) / bytesPerToken);
}

/** The length of the texts in a value; everything else takes about as much as its name. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== "object" || value === null) return 1;
  let length = 0;
  if (Array.isArray(value)) for (const item of value) length += lengthOf(item);
  else for (const [name, member] of Object.entries(value)) length += name.length + lengthOf(member);
  return length;
}

function usageOf(input: number, output: number): LanguageModelV4Usage {
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  };
}

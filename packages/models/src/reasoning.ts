import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ProviderSettings, Thinking } from "./provider-definition.ts";

type Reasoning = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

const levels: Record<Exclude<Thinking, "auto">, Reasoning> = {
  off: "none",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

/** For packages that know the levels, budgets and limits of each of their models. */
export function withReasoning(thinking: Thinking | undefined): ProviderSettings {
  return thinking === undefined || thinking === "auto" ? {} : { reasoning: levels[thinking] };
}

import type { ScriptedFormat } from "./script.ts";

/** A model of each provider package, and of each wire format that it can speak. */
export interface ScriptedTarget {
  format: ScriptedFormat;
  modelId: string;
  /** The settings under which a scripted provider of that format serves the model. */
  environment(baseUrl: string): Record<string, string>;
}

export const scriptedTargets: readonly ScriptedTarget[] = [
  target("openai", "local/test", "LOCAL"),
  target("openai", "openai/o3", "OPENAI"),
  target("openai", "aggregator/anthropic/claude-sonnet-4.5", "OPENROUTER"),
  target("openai-responses", "openai/gpt-5", "OPENAI"),
  target("openai-responses", "xai/grok-4", "XAI"),
  target("anthropic", "anthropic/claude-sonnet-4-5", "ANTHROPIC"),
  target("google", "google/gemini-2.5-flash", "GOOGLE"),
  target("google", "google/gemini-3-pro-preview", "GOOGLE"),
];

function target(format: ScriptedFormat, modelId: string, prefix: string): ScriptedTarget {
  const environment = (baseUrl: string) => ({
    [`${prefix}_BASE_URL`]: baseUrl,
    OPENAI_API: format === "openai-responses" ? "responses" : "chat",
  });
  return { format, modelId, environment };
}

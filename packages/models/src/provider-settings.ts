import type { LanguageModelV4 } from "@ai-sdk/provider";
import { allFiles, type FileSupport } from "./file-kinds.ts";
import type { Cache, HostedTools, ProviderSettings, Speed } from "./provider-definition.ts";
import { definitionOf, parseModelId, providerNamed } from "./providers/index.ts";
import { type Thinking, withEffort } from "./thinking.ts";

export const thinkingLevels: readonly Thinking[] = ["off", "low", "medium", "high", "xhigh", "max", "auto"];
export const cacheModes: readonly Cache[] = ["auto", "extended", "off"];

/**
 * Translates `thinking`, `cache`, `speed` and hosted tools for the provider of a model. A level that a model lacks becomes the nearest one
 * that it has; a setting that a provider does not have is ignored. Without `thinking` the provider's default applies;
 * `cache` defaults to `auto`, `speed` to `standard`. Unknown model ids get no settings.
 */
export function providerSettings(
  modelId: string,
  choice: {
    thinking?: Thinking | undefined;
    cache?: Cache | undefined;
    speed?: Speed | undefined;
    hosted?: HostedTools | undefined;
  },
): ProviderSettings {
  const parsed = parseModelId(modelId);
  if (!parsed.ok) return {};
  if (parsed.id.provider === "demo") return demoSettings(choice);
  const { provider, model } = parsed.id;
  return providerNamed(provider).settings({
    thinking: choice.thinking,
    cache: choice.cache ?? "auto",
    speed: choice.speed ?? "standard",
    hosted: choice.hosted ?? { tools: [], skills: [] },
    model,
  });
}

/** The factor of the provider's list prices for a call with this choice. */
export function priceFactorOf(modelId: string, { speed }: { speed?: Speed | undefined }): number {
  const parsed = parseModelId(modelId);
  if (speed !== "fast" || !parsed.ok || parsed.id.provider === "demo") return 1;
  return providerNamed(parsed.id.provider).fastMode?.(parsed.id.model)?.priceFactor ?? 1;
}

/** The echo thinks whenever it may; every level is the same to it. */
function demoSettings({ thinking }: { thinking?: Thinking | undefined }): ProviderSettings {
  return thinking === undefined || thinking === "off" ? {} : withEffort("medium");
}

/** The files that a model takes. One that no table knows is sent everything, and its provider decides. */
export function fileSupportOf(model: Pick<LanguageModelV4, "provider" | "modelId">): FileSupport {
  const definition = definitionOf(model);
  if (definition === undefined) return allFiles;
  return definition.files(model.modelId, model.provider.split(".")[1] ?? "");
}

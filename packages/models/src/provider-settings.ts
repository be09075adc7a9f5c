import { parseModelId } from "./model-id.ts";
import type { Cache, ProviderSettings } from "./provider-definition.ts";
import { providerNamed } from "./providers/index.ts";
import type { Thinking } from "./thinking.ts";

export const thinkingLevels: readonly Thinking[] = ["off", "low", "medium", "high", "xhigh", "max", "auto"];
export const cacheModes: readonly Cache[] = ["auto", "extended", "off"];

/**
 * Translates `thinking` and `cache` for the provider of a model. A level that a model lacks becomes the nearest one
 * that it has; a setting that a provider does not have is ignored. Without `thinking` the provider's default applies;
 * `cache` defaults to `auto`. Unknown model ids get no settings.
 */
export function providerSettings(
  modelId: string,
  choice: { thinking?: Thinking | undefined; cache?: Cache | undefined },
): ProviderSettings {
  const parsed = parseModelId(modelId);
  if (!parsed.ok || parsed.id.provider === "demo") return {};
  const { provider, model } = parsed.id;
  return providerNamed(provider).settings({
    thinking: choice.thinking,
    cache: choice.cache ?? "auto",
    model,
  });
}

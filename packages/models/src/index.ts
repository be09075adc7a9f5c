export type { ProviderCheck, ProviderStatus } from "./check/provider-check.ts";
export { type ModelsConfig, type OpenAiInterface, type ProviderConfig, readModelsConfig } from "./config.ts";
export {
  type FailedProvider,
  ModelFailure,
  type ModelFailureDetails,
  type StreamErrorType,
} from "./failure.ts";
export { type ModelId, type ProviderName, parseModelId, providerNames } from "./model-id.ts";
export { createModels, type Models, type ModelsOptions } from "./models.ts";
export {
  type Cache,
  cacheModes,
  type ProviderSettings,
  providerSettings,
  type Thinking,
  thinkingLevels,
} from "./provider-settings.ts";
export { defaultStreamLimits, type StreamLimits } from "./stream-limits.ts";
export { streamModel } from "./stream-model.ts";

export type { ProviderCheck, ProviderStatus } from "./check/provider-check.ts";
export { type ModelsConfig, readModelsConfig } from "./config.ts";
export { defaultStreamLimits, type StreamLimits } from "./default-stream-limits.ts";
export { demoSummary } from "./demo/summary.ts";
export {
  type FailedProvider,
  ModelFailure,
  type ModelFailureDetails,
} from "./failure.ts";
export type { FileSupport } from "./file-kinds.ts";
export { defaultResponseBounds } from "./http/body-gate.ts";
export { createModels, type Models, type ModelsOptions, type ResolvedModel } from "./models.ts";
export type {
  Cache,
  HostedTools,
  ProviderConfig,
  ProviderDefinition,
  ProviderSettings,
} from "./provider-definition.ts";
export { noProjectKeys, type ProjectKeys, switchVariable } from "./provider-definition.ts";
export {
  cacheModes,
  fileSupportOf,
  priceFactorOf,
  providerSettings,
  thinkingLevels,
} from "./provider-settings.ts";
export { type ModelId, type ProviderName, parseModelId, providers } from "./providers/index.ts";
export { streamModel } from "./stream-model.ts";
export type { Thinking } from "./thinking.ts";

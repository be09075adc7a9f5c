export { type Clock, ManualClock, systemClock } from "./clock.ts";
export { ConfigError, type Environment, type EnvironmentReader, readEnvironment } from "./env.ts";
export {
  FairBudget,
  FairQueue,
  type FairQueueLimits,
  type FairTaskOptions,
  QueueFullError,
} from "./fair-queue.ts";
export { createIds, createRandomPool, firstIdAt, type IdPrefix, type NewId, timeOfId } from "./ids.ts";
export { runProcess, type Service, stopAll } from "./lifecycle.ts";
export {
  createLogger,
  type Logger,
  type LogLevel,
  type LogOptions,
  logLevels,
  silentLogger,
} from "./log.ts";
export { exitLimitMs, exitPatienceMs, maxWaitingLogBytes } from "./log-writer.ts";
export {
  checkBusUrl,
  checkMongodbUri,
  readAddresses,
  readBandwidthFee,
  readBusUrl,
  readDatabasePrefix,
  readDrainMs,
  readListen,
  readLogLevel,
  readPrincipalSecrets,
  readServiceSettings,
  readStoreSettings,
  type ServiceSettings,
  type StoreSettings,
} from "./process-settings.ts";
export { cpuSpent, type ReadCpuMs, threadCpuMs } from "./processor-time.ts";
export { readSettings } from "./read-settings.ts";
export {
  createReadiness,
  type Degradation,
  type Dependency,
  type DependencyStatus,
  NotReadyError,
  type Readiness,
  type ReadinessOptions,
} from "./readiness.ts";
export { requireWritableFolder } from "./require-writable-folder.ts";
export { type MainContext, runMain } from "./run-main.ts";
export { Secret } from "./secret.ts";
export { createSecretBox, type OpenedText, type SealedText, type SecretBox } from "./secret-box.ts";
export { parseSecretsKey, readSecretsKeys } from "./secrets-keys.ts";
export { standardOutput } from "./standard-output.ts";
export { listenProblem, startProblem } from "./start-problem.ts";
export { createFolderWatch, createStorageWatch, type StorageWatch } from "./storage-watch.ts";

export {
  defaultMaxStateBytes,
  defaultSessionTtlMs,
  defaultTimings,
  type ExecutionLogSettings,
  type HistorySettings,
  readExecutionLogSettings,
  readFileMemoryBytes,
  readHistorySettings,
  readSessionsConfig,
  readSessionTtlMs,
  type SessionsConfig,
  type SessionsProcessConfig,
  type Timings,
} from "./config.ts";
export type { SessionsOverrides } from "./context.ts";
export { createSessionsService, type SessionsService } from "./service.ts";

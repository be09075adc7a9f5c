export {
  defaultTimings,
  type ExecutionLogSettings,
  readExecutionLogSettings,
  readFileMemoryBytes,
  readHistorySettings,
  readRemoteSettings,
  readSessionsConfig,
  readSessionTtlMs,
  type SessionsConfig,
  type SessionsDefaults,
  type SessionsProcessConfig,
  sessionsDefaults,
  type Timings,
} from "./config.ts";
export type { SessionsOverrides } from "./context.ts";
export { createSessionsService, type SessionsService } from "./service.ts";

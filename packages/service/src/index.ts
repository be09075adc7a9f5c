export { type Clock, ManualClock, systemClock } from "./clock.ts";
export { ConfigError, type Environment, type EnvironmentReader, readEnvironment } from "./env.ts";
export { createIds, type IdPrefix, type NewId } from "./ids.ts";
export { runProcess, type Service, stopAll } from "./lifecycle.ts";
export { createLogger, type Logger, type LogOptions, silentLogger } from "./log.ts";
export { Secret } from "./secret.ts";

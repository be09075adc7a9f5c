import { availableParallelism } from "node:os";
import { type MetricsSettings, readMetricsSettings } from "@muster/metrics";
import {
  type Environment,
  readAddresses,
  readBusUrl,
  readEnvironment,
  readServiceSettings,
  type ServiceSettings,
} from "@muster/service";
import { readRetentionDays } from "@muster/storage/recordings";
import type { RenderPriority, Theme } from "@muster/video";

export interface RecorderConfig extends ServiceSettings {
  /** Where recordings lie, in `recordingsIn(directory)`: nothing else in it is used. See packages/storage. */
  directory: string;
  /** How long a video is kept after it was rendered; 0 keeps all. */
  retentionDays: number;
  theme: Theme;
  /**
   * Of a first attempt that begins soon after the run. Others have a normal priority, so that a busy machine cannot keep a recording
   * from becoming a video.
   */
  priority: RenderPriority;
  /** How many recordings this process renders at once, at least 1. */
  concurrency: number;
  /** Overrides of `defaultTimings`, for tests. */
  timings?: Partial<Timings>;
}

export type Timings = typeof defaultTimings;

export const defaultTimings = {
  /** How often an idle recorder looks for recordings that no event announced. */
  pollEveryMs: 3_000,
  /** A lease is renewed this many times before it would end. */
  renewalsPerLease: 4,
  /** A lease that cannot be renewed for this long counts as lost. */
  renewWithinMs: 60_000,
  /** How long a call to the workforce service may take. */
  callMs: 10_000,
  /** How long reading a timeline may take. */
  readMs: 120_000,
  /** A call that fails because the workforce service is away is repeated for this long. */
  repeatForMs: 60_000,
  repeatEveryMs: 1_000,
  /** A recording that has waited this long is rendered with a normal priority. */
  patienceMs: 10 * 60_000,
  /** How long a stopping process may take to give its recordings back, or to finish those that are being stored. */
  drainMs: 3_000,
  /** When the first sweep begins after the start, and how often. */
  sweepAfterMs: 60_000,
  sweepEveryMs: 6 * 60 * 60_000,
};

/** Settings of the standalone process, which also needs a bus and the workforce service. */
export interface RecorderProcessConfig extends RecorderConfig {
  natsUrl: string;
  /** Undefined: nothing is measured. */
  metrics: MetricsSettings | undefined;
  /** `host:port` or a gRPC target such as `dns:///workforce:7004`. */
  workforceAddresses: string[];
}

const maxConcurrency = 64;

/** `RECORDING_THEME`. */
export function readTheme(env: Environment): Theme {
  return readEnvironment(env).oneOf("RECORDING_THEME", ["dark", "light"], "dark");
}

/** `RECORDER_PRIORITY`. */
export function readPriority(env: Environment): RenderPriority {
  return readEnvironment(env).oneOf("RECORDER_PRIORITY", ["low", "normal"], "low");
}

/** `RECORDER_CONCURRENCY`, from `min`. */
export function readConcurrency(env: Environment, fallback: number, min: 0 | 1): number {
  return readEnvironment(env).integer("RECORDER_CONCURRENCY", fallback, { min, max: maxConcurrency });
}

/** Throws a ConfigError that names the variable if a setting is missing or invalid. */
export function readRecorderConfig(env: Environment): RecorderProcessConfig {
  const service = readServiceSettings(env, "RECORDER", 7005);
  return {
    ...service,
    metrics: readMetricsSettings(env, { ...service.listen, setting: "RECORDER_PORT" }),
    directory: readEnvironment(env).required("FILES_DIRECTORY", "/files"),
    retentionDays: readRetentionDays(env),
    theme: readTheme(env),
    priority: readPriority(env),
    concurrency: readConcurrency(env, availableParallelism(), 1),
    natsUrl: readBusUrl(env),
    workforceAddresses: readAddresses(env, "WORKFORCE_ADDRESSES"),
  };
}

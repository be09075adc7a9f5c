import { ConfigError, type Environment, readEnvironment } from "@muster/service";

/** Where a process serves its metrics. */
export interface MetricsSettings {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** The commit of the build. */
  commit: string;
}

/** The listening address of the process itself. */
interface Own {
  host: string;
  port: number;
  /** The name of the setting of its port. */
  setting: string;
}

/**
 * `METRICS_PORT`, `METRICS_HOST` (by default `own.host`) and `MUSTER_COMMIT_SHA`. Undefined without a port: no metrics.
 * Throws ConfigError.
 */
export function readMetricsSettings(env: Environment, own: Own): MetricsSettings | undefined {
  const read = readEnvironment(env);
  const port = read.integer("METRICS_PORT", -1, { min: 0, max: 65_535 });
  const host = read.string("METRICS_HOST") ?? own.host;
  const commit = read.string("MUSTER_COMMIT_SHA") ?? "dev";
  if (port === -1) return undefined;
  if (port !== 0 && port === own.port && host === own.host) {
    throw new ConfigError("METRICS_PORT", `must differ from ${own.setting}, which is ${port} as well`);
  }
  return { host, port, commit };
}

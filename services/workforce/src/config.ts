import type { ComputersOptions } from "@muster/computers";
import { type ComputersConfig, readComputersConfig } from "@muster/computers/config";
import { readHosts } from "@muster/guarded-fetch";
import { type MetricsSettings, readMetricsSettings } from "@muster/metrics";
import {
  type Environment,
  readAddresses,
  readBusUrl,
  readEnvironment,
  readSecretsKeys,
  readServiceSettings,
  readStoreSettings,
  type Secret,
  type ServiceSettings,
  type StoreSettings,
} from "@muster/service";
import { type FileRules, type FilesSettings, readFileRules, readFilesSettings } from "@muster/storage/files";
import { type RecordingSettings, readRecordingSettings } from "@muster/storage/recordings";

export interface WorkforceConfig extends ServiceSettings {
  store: StoreSettings;
  computers: ComputersConfig;
  /** Where uploaded files lie. Absent: there are none. */
  files?: FilesSettings;
  /** Default: `defaultFileRules`. */
  fileRules?: FileRules;
  /** Where the videos of recorded runs lie. Absent: no run is recorded. */
  recordings?: RecordingSettings;
  /**
   * No other instance can use this store, so leases of other holders belong to dead processes: their runs continue at once.
   * Default: false.
   */
  onlyInstance?: boolean;
  /** The build of this process. Default: `dev`. */
  deployment?: Deployment;
  /** See `readSecretsKeys`. Default: none, so that webhooks cannot be created. */
  secretsKeys?: readonly Secret[];
  /** Hosts of webhooks that may have private addresses, or use http. Default: none. */
  webhookAllowedHosts?: readonly string[];
  /** False: this instance answers requests and leaves the runs to others. Default: true. */
  startsRuns?: boolean;
  /** How long the audit log keeps entries. Default: 400 days. */
  auditRetentionDays?: number;
  /** Overrides of `defaultTimings`, for tests. */
  timings?: Partial<Timings>;
  /** The same for connections of computers. */
  machineTimings?: ComputersOptions["machineTimings"];
}

/** The build that threads show as their executor. */
export interface Deployment {
  deploymentId: string;
  commitSha: string;
}

export const developmentBuild: Deployment = { deploymentId: "dev", commitSha: "dev" };

/** Also the shortest time. */
export const defaultAuditRetentionDays = 400;

export const defaultTimings = {
  /** A holder that does not renew its lease for this long counts as dead, and others may take its agents. */
  leaseMs: 10_000,
  renewEveryMs: 2_500,
  /** How often an instance looks for work and expired leases that no event announced. */
  pollEveryMs: 2_000,
  /** The same for audit entries and notices, which takes many queries. */
  sweepEveryMs: 10_000,
  /** A request that has begun to start work and has not ended after this is completed for it. */
  completeAfterMs: 8_000,
  /** The interval at which a caller that waits for a thread reads it without an event. */
  readEveryMs: 2_000,
  /** A computer that cannot be reached for this long fails the run. */
  computerStartMs: 30_000,
  /** How often a run looks whether a computer that has to dial in has done so. */
  computerLookMs: 1_000,
  /** A call to the session that breaks again and again for this long fails the run. */
  reconnectMs: 60_000,
  /** How often readers of a running thread learn that its conversation has grown. */
  progressEveryMs: 500,
  /** How long the parts of a cancelled run may take to end by themselves. */
  cancelMs: 3_000,
  /** How long a stopping process waits for its tool calls before it hands its runs to other processes. */
  drainMs: 10_000,
  /** A recorder that does not renew its lease for this long counts as dead. */
  recorderLeaseMs: 15_000,
  /** The longest attempt to send an event to a webhook. */
  webhookTimeoutMs: 10_000,
  /** How long a recording rests after the first attempt that failed. Doubles with each further one. */
  recordingRetryMs: 2_000,
};

export type Timings = typeof defaultTimings;

/** Settings of the standalone process, which also needs a bus and three other services. */
export interface WorkforceProcessConfig extends WorkforceConfig {
  natsUrl: string;
  /** Undefined: nothing is measured. */
  metrics: MetricsSettings | undefined;
  /** `host:port` or a gRPC target such as `dns:///agents:7002`. */
  agentsAddresses: string[];
  authAddresses: string[];
  sessionsAddresses: string[];
}

/** `MUSTER_DEPLOYMENT_ID` and `MUSTER_COMMIT_SHA`, which builds set. */
export function readDeployment(env: Environment): Deployment {
  const read = readEnvironment(env);
  return {
    deploymentId: read.string("MUSTER_DEPLOYMENT_ID") ?? developmentBuild.deploymentId,
    commitSha: read.string("MUSTER_COMMIT_SHA") ?? developmentBuild.commitSha,
  };
}

/** `AUDIT_RETENTION_DAYS` */
export function readAuditRetentionDays(env: Environment): number {
  return readEnvironment(env).integer("AUDIT_RETENTION_DAYS", defaultAuditRetentionDays, {
    min: defaultAuditRetentionDays,
    max: 36_500,
  });
}

/** Throws a ConfigError that names the variable if a setting is missing or invalid. */
export function readWorkforceConfig(env: Environment): WorkforceProcessConfig {
  const service = readServiceSettings(env, "WORKFORCE", 7004);
  const files = readFilesSettings(env);
  const recordings = readRecordingSettings(env);
  return {
    ...(files && { files }),
    fileRules: readFileRules(env),
    ...(recordings && { recordings }),
    store: readStoreSettings(env),
    ...service,
    metrics: readMetricsSettings(env, { ...service.listen, setting: "WORKFORCE_PORT" }),
    computers: readComputersConfig(env),
    deployment: readDeployment(env),
    secretsKeys: readSecretsKeys(env),
    webhookAllowedHosts: readHosts(env, "WEBHOOK_ALLOWED_HOSTS"),
    auditRetentionDays: readAuditRetentionDays(env),
    natsUrl: readBusUrl(env),
    agentsAddresses: readAddresses(env, "AGENTS_ADDRESSES"),
    authAddresses: readAddresses(env, "AUTH_ADDRESSES"),
    sessionsAddresses: readAddresses(env, "SESSIONS_ADDRESSES"),
  };
}

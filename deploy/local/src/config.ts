import { join, resolve } from "node:path";
import { type FederationSettings, readAdminKey, readFederationSettings } from "@muster/auth";
import { type ComputersConfig, readComputersConfig } from "@muster/computers/config";
import { type EdgeSettings, readEdgeSettings } from "@muster/gateway";
import { readHosts } from "@muster/guarded-fetch";
import { type MetricsSettings, readMetricsSettings } from "@muster/metrics";
import { type ModelsConfig, readModelsConfig } from "@muster/models";
import { type RecorderConfig, readConcurrency, readPriority, readTheme } from "@muster/recorder/config";
import {
  checkBusUrl,
  checkMongodbUri,
  type Environment,
  type LogLevel,
  readDatabasePrefix,
  readDrainMs,
  readEnvironment,
  readLogLevel,
  readSecretsKeys,
  type Secret,
} from "@muster/service";
import {
  type ExecutionLogSettings,
  readExecutionLogSettings,
  readFileMemoryBytes,
  readHistorySettings,
  readRemoteSettings,
  readSessionTtlMs,
} from "@muster/sessions";
import {
  type FileRules,
  type FilesSettings,
  readFileRules,
  readStorageSettings,
  requireKeys,
} from "@muster/storage/files";
import { type RecordingSettings, readRetentionDays } from "@muster/storage/recordings";
import { type Deployment, readAuditRetentionDays, readDeployment } from "@muster/workforce/config";

export interface LocalConfig {
  host: string;
  port: number;
  /** Absolute path of the folder that contains the database. */
  dataDirectory: string;
  /** A MongoDB server to use instead of the embedded one. */
  mongodbUri: string | undefined;
  databasePrefix: string;
  /** A NATS server to use instead of the in-process bus. */
  natsUrl: string | undefined;
  adminKey: Secret | undefined;
  /** How long the audit log keeps entries. */
  auditRetentionDays: number;
  /** Hosts of webhooks in the operator's own network. */
  webhookAllowedHosts: readonly string[];
  /** See `readSecretsKeys`. The embedded store adds one of its own. */
  secretsKeys: readonly Secret[];
  federation: FederationSettings;
  /** How the services call each other: `in-process` costs less, `grpc` goes through loopback sockets. */
  transport: "in-process" | "grpc";
  logLevel: LogLevel;
  sessionTtlMs: number;
  history: ReturnType<typeof readHistorySettings>;
  remote: ReturnType<typeof readRemoteSettings>;
  /** For the files in model calls. */
  fileMemoryBytes: number;
  executionLog: ExecutionLogSettings;
  /** How long open streams may keep running after a stop has been requested. */
  drainMs: number;
  models: ModelsConfig;
  computers: ComputersConfig;
  deployment: Deployment;
  /** Where uploaded files lie, and for how long. */
  files: Omit<FilesSettings, "keys">;
  fileRules: FileRules;
  /** Videos lie beside the uploaded files. */
  recordings: Pick<RecordingSettings, "retentionDays">;
  /** `concurrency` 0: this process renders no videos. */
  recorder: Pick<RecorderConfig, "concurrency" | "theme" | "priority">;
  edge: EdgeSettings;
  /** Undefined: nothing is measured. */
  metrics: MetricsSettings | undefined;
}

/** Throws ConfigError with the name of an invalid variable. Nothing is required. */
export function readLocalConfig(env: Environment): LocalConfig {
  const read = readEnvironment(env);
  const mongodbUri = read.string("MONGODB_URI");
  if (mongodbUri) checkMongodbUri(mongodbUri);
  const natsUrl = read.string("NATS_URL");
  if (natsUrl) checkBusUrl(natsUrl);
  const dataDirectory = resolve(read.string("DATA_DIR") ?? "data");
  const { directory = join(dataDirectory, "files"), keepDays } = readStorageSettings(env);
  const secretsKeys = readSecretsKeys(env);
  // The embedded store has a key of its own.
  if (mongodbUri && read.string("FILES_DIRECTORY")) requireKeys(secretsKeys);
  const host = read.string("HOST") ?? "127.0.0.1";
  const port = read.integer("PORT", 8080, { min: 0, max: 65_535 });
  return {
    ...{ host, port },
    metrics: readMetricsSettings(env, { host, port, setting: "PORT" }),
    dataDirectory,
    mongodbUri,
    databasePrefix: readDatabasePrefix(env),
    natsUrl,
    adminKey: readAdminKey(env),
    secretsKeys,
    federation: readFederationSettings(env),
    transport: read.oneOf("MUSTER_TRANSPORT", ["in-process", "grpc"], "in-process"),
    logLevel: readLogLevel(env, "info"),
    sessionTtlMs: readSessionTtlMs(env),
    history: readHistorySettings(env),
    remote: readRemoteSettings(env),
    fileMemoryBytes: readFileMemoryBytes(env),
    executionLog: readExecutionLogSettings(env),
    drainMs: readDrainMs(env),
    models: readModelsConfig(env),
    computers: readComputersConfig(env),
    auditRetentionDays: readAuditRetentionDays(env),
    webhookAllowedHosts: readHosts(env, "WEBHOOK_ALLOWED_HOSTS"),
    deployment: readDeployment(env),
    files: { directory, keepDays },
    fileRules: readFileRules(env),
    recordings: { retentionDays: readRetentionDays(env) },
    // This process shares its cores with everything else.
    recorder: { concurrency: readConcurrency(env, 1, 0), theme: readTheme(env), priority: readPriority(env) },
    edge: readEdgeSettings(env),
  };
}

import { resolve } from "node:path";
import { readAdminKey } from "@muster/auth";
import { type ModelsConfig, readModelsConfig } from "@muster/models";
import { type Environment, readEnvironment, type Secret } from "@muster/service";
import { readSessionTtlMs } from "@muster/sessions";

export interface LocalConfig {
  host: string;
  port: number;
  /** Absolute path of the folder that holds the database. */
  dataDirectory: string;
  /** A MongoDB server to use in place of the embedded one. */
  mongodbUri: string | undefined;
  databasePrefix: string;
  /** A NATS server to use in place of the in-process bus. */
  natsUrl: string | undefined;
  adminKey: Secret | undefined;
  /** How the services call each other: `in-process` costs less, `grpc` goes through loopback sockets. */
  transport: "in-process" | "grpc";
  logLevel: "debug" | "info" | "warn" | "error" | "silent";
  sessionTtlMs: number;
  /** How long a stop lets open streams go on by themselves. */
  drainMs: number;
  models: ModelsConfig;
}

/** Throws ConfigError, naming the variable, when a setting is wrong. Nothing is required. */
export function readLocalConfig(env: Environment): LocalConfig {
  const read = readEnvironment(env);
  return {
    host: read.string("HOST") ?? "127.0.0.1",
    port: read.integer("PORT", 8080, { min: 0, max: 65_535 }),
    dataDirectory: resolve(read.string("DATA_DIR") ?? "data"),
    mongodbUri: read.string("MONGODB_URI"),
    databasePrefix: read.string("MUSTER_DATABASE_PREFIX") ?? "muster",
    natsUrl: read.string("NATS_URL"),
    adminKey: readAdminKey(env),
    transport: read.oneOf("MUSTER_TRANSPORT", ["in-process", "grpc"], "in-process"),
    logLevel: read.oneOf("LOG_LEVEL", ["debug", "info", "warn", "error", "silent"], "warn"),
    sessionTtlMs: readSessionTtlMs(env),
    drainMs: read.integer("DRAIN_SECONDS", 10, { min: 0, max: 300 }) * 1_000,
    models: readModelsConfig(env),
  };
}

import type { Transport } from "@connectrpc/connect";
import type { Bus } from "@muster/events";
import { RecordingsService } from "@muster/proto/recordings";
import {
  callOptions,
  createPrincipalSigner,
  createRpcClient,
  platformPrincipal,
  type ServiceOverrides,
} from "@muster/rpc";
import { createFolderWatch, createIds, systemClock } from "@muster/service";
import { createDiskStorage, type RecordingStorage, recordingsIn } from "@muster/storage/recordings";
import { defaultTimings, type RecorderConfig } from "./config.ts";
import type { Renderer } from "./renderer.ts";

/** Dependencies supplied by the process or test. */
export interface RecorderOverrides extends ServiceOverrides {
  bus: Bus;
  /** Reaches the workforce service, which owns the recordings. */
  workforce: Transport;
  render: Renderer;
  /** Default: on disk, in the configured folder. */
  storage?: RecordingStorage;
}

export interface OwnCallOptions {
  signal?: AbortSignal;
  /** Default: `timings.callMs`. */
  timeoutMs?: number;
}

/** All dependencies of the recorder. */
export type RecorderContext = ReturnType<typeof createContext>;

export function createContext(config: RecorderConfig, overrides: RecorderOverrides) {
  const { bus, workforce, render, log, clock = systemClock, newId = createIds(), metrics } = overrides;
  const { theme, priority, concurrency, retentionDays } = config;
  const timings = { ...defaultTimings, ...config.timings };
  const signer = createPrincipalSigner(config.principalSecrets, clock);
  return {
    ...{ bus, render, theme, priority, concurrency, retentionDays, timings, clock, newId, log, metrics },
    recordings: createRpcClient(RecordingsService, workforce),
    /** Options for a call as the platform itself. Make them again for each call. */
    callAsPlatform: (options?: OwnCallOptions) =>
      callOptions({
        principal: signer.sign(platformPrincipal),
        requestId: newId("req"),
        timeoutMs: timings.callMs,
        ...options,
      }),
    storage: overrides.storage ?? createDiskStorage(config.directory),
    /** The disk of the storage. */
    disk: createFolderWatch("recordings", recordingsIn(config.directory), log),
    /** Identifies this process in leases. */
    instance: newId("run"),
  };
}

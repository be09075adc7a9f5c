import type { CallOptions, Client, Transport } from "@connectrpc/connect";
import type { Bus } from "@muster/events";
import { RecordingsService } from "@muster/proto/recordings";
import {
  callOptions,
  createPrincipalSigner,
  createRpcClient,
  platformPrincipal,
  type ServiceContext,
  type ServiceOverrides,
} from "@muster/rpc";
import { createFolderWatch, createIds, type StorageWatch, systemClock } from "@muster/service";
import { createDiskStorage, type RecordingStorage } from "@muster/storage/recordings";
import type { RenderPriority, Theme } from "@muster/video";
import { defaultTimings, type RecorderConfig, type Timings } from "./config.ts";
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

/** All dependencies of the recorder. */
export interface RecorderContext extends ServiceContext {
  bus: Bus;
  recordings: Client<typeof RecordingsService>;
  /** Options for a call as the platform itself. Make them again for each call. */
  callAsPlatform(options?: OwnCallOptions): CallOptions;
  render: Renderer;
  storage: RecordingStorage;
  /** The disk of the storage. */
  disk: StorageWatch;
  /** Identifies this process in leases. */
  instance: string;
  theme: Theme;
  priority: RenderPriority;
  concurrency: number;
  retentionDays: number;
  timings: Timings;
}

export interface OwnCallOptions {
  signal?: AbortSignal;
  /** Default: `timings.callMs`. */
  timeoutMs?: number;
}

export function createContext(config: RecorderConfig, overrides: RecorderOverrides): RecorderContext {
  const { bus, workforce, render, log, clock = systemClock, newId = createIds(), metrics } = overrides;
  const { theme, priority, concurrency, retentionDays } = config;
  const timings = { ...defaultTimings, ...config.timings };
  const signer = createPrincipalSigner(config.principalSecrets, clock);
  return {
    ...{ bus, render, theme, priority, concurrency, retentionDays, timings, clock, newId, log, metrics },
    recordings: createRpcClient(RecordingsService, workforce),
    callAsPlatform: (options) =>
      callOptions({
        principal: signer.sign(platformPrincipal),
        requestId: newId("req"),
        timeoutMs: timings.callMs,
        ...options,
      }),
    storage: overrides.storage ?? createDiskStorage(config.directory),
    disk: createFolderWatch("recordings", config.directory, log),
    instance: newId("run"),
  };
}

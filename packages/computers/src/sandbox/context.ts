import type { Clock, FairQueue, Logger } from "@muster/service";
import type { BlobStore } from "../store/blob-store.ts";
import type { ComputerStore } from "../store/computer-store.ts";
import type { CommandPlaces } from "./command-places.ts";
import type { SandboxLimits } from "./default-sandbox-limits.ts";
import type { SandboxRuntime } from "./runtime.ts";

/** The state that all sandboxes of a process share. */
export interface SandboxContext {
  store: ComputerStore;
  blobsOf(agentId: string): BlobStore;
  /** By agent: one holder of a computer in this process works on its files at a time. */
  turns: FairQueue;
  places: CommandPlaces;
  runtime: SandboxRuntime;
  limits: SandboxLimits;
  clock: Clock;
  log: Logger;
}

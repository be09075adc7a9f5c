import type { Clock, Logger } from "@muster/service";
import type { SandboxFetch } from "../network/sandbox-fetch.ts";
import type { BlobStore } from "../store/blob-store.ts";
import type { ComputerStore } from "../store/computer-store.ts";
import type { SandboxLimits } from "./limits.ts";
import type { ProcessPool } from "./process-pool.ts";

/** What all sandboxes of a process share. */
export interface SandboxContext {
  store: ComputerStore;
  blobsOf(agentId: string): BlobStore;
  pool: ProcessPool;
  limits: SandboxLimits;
  /** Absent: no network. */
  fetch: SandboxFetch | undefined;
  clock: Clock;
  log: Logger;
}

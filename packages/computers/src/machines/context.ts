import type { Clock, Logger } from "@muster/service";
import { isHeld } from "@muster/store";
import { type MachineDocument, type MachineKey, reconnectMs } from "./machine-document.ts";
import type { MachineStore } from "./machine-store.ts";

export const defaultMachineTimings = {
  /** How long a new connection may take to introduce itself. */
  helloMs: 10_000,
  /** A connection on which nothing is heard for this long is cut. */
  silentMs: 25_000,
  /** A process that does not renew its lease for this long has lost the computer, and may have died. */
  leaseMs: 15_000,
  renewEveryMs: 2_500,
  /** How long a call waits for a computer whose connection was lost. */
  waitMs: reconnectMs,
  /** How often a call that waits looks whether the computer has connected to another process. */
  lookEveryMs: 1_000,
};

/** Shared by all machines of a process. */
export interface MachineContext {
  store: MachineStore;
  /** Identifies this process in leases. */
  instance: string;
  /** Set to `instance` if no other process can exist. */
  onlyHolder: string | undefined;
  timings: typeof defaultMachineTimings;
  clock: Clock;
  /** Monotonic. */
  nowMs: () => number;
  log: Logger;
  /** The computer has connected to this process: runs that wait for it can continue. */
  onConnected: (key: MachineKey) => void;
  /** The connections that have not given up their computer yet. */
  serving: Set<Promise<void>>;
}

/** True if another process has the connection of the computer, or may get it back. */
export function isElsewhere(
  { instance, onlyHolder, clock }: Pick<MachineContext, "instance" | "onlyHolder" | "clock">,
  { lease }: Pick<MachineDocument, "lease">,
): boolean {
  return isHeld(lease, clock.now(), onlyHolder) && lease?.holder !== instance;
}

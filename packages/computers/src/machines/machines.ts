import type { Clock, Logger } from "@muster/service";
import type { Db } from "mongodb";
import type { Computer, ComputerOwner, ComputerState } from "../computer.ts";
import { ComputerElsewhereError, ComputerUnreachableError } from "../errors.ts";
import { defaultMachineTimings, isElsewhere, type MachineContext } from "./context.ts";
import { goodbyeFrame } from "./frames.ts";
import { Machine } from "./machine.ts";
import { MachineComputer } from "./machine-computer.ts";
import { computerIdOf, type MachineKey, machineState } from "./machine-document.ts";
import { createMachineStore, type MachineStore } from "./machine-store.ts";
import { serveConnection } from "./serve-connection.ts";

export interface MachinesOptions {
  db: Db;
  clock: Clock;
  log: Logger;
  /** Identifies this process in leases. Default: a name that no other process has. */
  instance?: string;
  /** Set to `instance` if no other process can exist. */
  onlyHolder?: string | undefined;
  timings?: Partial<typeof defaultMachineTimings>;
  monotonicMs?: () => number;
}

/** The computers that dial in, as one process sees them. */
export interface Machines {
  readonly store: MachineStore;
  /** How many are connected to this process. */
  readonly connected: number;
  /** Called for each computer that connects to this process. */
  onConnected: (key: MachineKey) => void;
  /**
   * Serves a connection of the computer. Takes the frames from the computer and returns those for it, until the connection
   * ends or `signal` aborts.
   */
  connect(
    frames: AsyncIterable<Uint8Array>,
    identity: MachineKey,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  /** True if only another process may begin or continue runs on the computer. */
  isElsewhere(owner: ComputerOwner): Promise<boolean>;
  open(owner: ComputerOwner, epoch: number): Promise<Computer>;
  stateOf(owner: ComputerOwner): Promise<ComputerState>;
  close(): Promise<void>;
}

export function keyOfMachine({ projectId, agentId, computerId }: ComputerOwner): MachineKey {
  return { projectId, computerId: computerId ?? computerIdOf(agentId) };
}

export function createMachines(options: MachinesOptions): Machines {
  const { db, clock, log, instance = crypto.randomUUID(), onlyHolder, timings } = options;
  const store = createMachineStore(db);
  const machines = new Map<string, Machine>();
  const serving = new Set<Promise<void>>();
  const closing = new AbortController();
  const context: MachineContext = {
    ...{ store, instance, onlyHolder, clock, log },
    timings: { ...defaultMachineTimings, ...timings },
    serving,
    nowMs: options.monotonicMs ?? (() => performance.now()),
    onConnected: (key) => all.onConnected(key),
  };

  const machineOf = (key: MachineKey): Machine => {
    const id = JSON.stringify([key.projectId, key.computerId]);
    const machine = machines.get(id) ?? new Machine(context, key);
    machines.set(id, machine);
    return machine;
  };

  async function* connect(frames: AsyncIterable<Uint8Array>, identity: MachineKey, signal: AbortSignal) {
    if (closing.signal.aborted) yield goodbyeFrame("stopping");
    else {
      const ends = AbortSignal.any([signal, closing.signal]);
      yield* serveConnection(context, machineOf(identity), frames, ends);
    }
  }

  const all: Machines = {
    store,
    onConnected: () => undefined,

    get connected() {
      let count = 0;
      for (const machine of machines.values()) count += machine.connection === undefined ? 0 : 1;
      return count;
    },

    connect,

    async isElsewhere(owner) {
      const key = keyOfMachine(owner);
      if (machineOf(key).connection !== undefined) return false;
      const found = await store.find(key);
      return found !== null && isElsewhere(context, found);
    },

    async open(owner, epoch) {
      const key = keyOfMachine(owner);
      const machine = machineOf(key);
      machine.claim(owner.agentId, epoch);
      const { connection } = machine;
      if (connection !== undefined) return new MachineComputer(machine, owner, epoch, connection);
      const found = await store.find(key);
      if (found !== null && isElsewhere(context, found)) throw new ComputerElsewhereError();
      throw new ComputerUnreachableError(`No computer of the kind ${owner.kind} is connected.`);
    },

    async stateOf(owner) {
      const { kind } = owner;
      const found = await store.find(keyOfMachine(owner));
      return machineState(found, { kind, nowMs: clock.now(), onlyHolder });
    },

    async close() {
      for (const machine of machines.values()) machine.close();
      closing.abort();
      await Promise.all(serving);
    },
  };
  return all;
}

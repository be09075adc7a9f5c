import { join } from "node:path";
import type { GuardedConnect, GuardedFetch } from "@muster/guarded-fetch";
import { type Clock, FairQueue, type Logger } from "@muster/service";
import type { Db } from "mongodb";
import type { Computer, ComputerOwner, ComputerState, Computers, ExecutedCall } from "./computer.ts";
import type { ComputersConfig } from "./config.ts";
import { createRuntime } from "./create-runtime.ts";
import { computerIdOf } from "./machines/machine-document.ts";
import { createMachines, type Machines, type MachinesOptions } from "./machines/machines.ts";
import { createCommandPlaces } from "./sandbox/command-places.ts";
import type { SandboxContext } from "./sandbox/context.ts";
import { defaultSandboxLimits, type SandboxLimits } from "./sandbox/default-sandbox-limits.ts";
import { Sandbox } from "./sandbox/sandbox.ts";
import { type BlobStore, openBlobStore } from "./store/blob-store.ts";
import { createComputerStore } from "./store/computer-store.ts";
import type { LogLine } from "./store/documents.ts";
import type { Steps } from "./store/steps.ts";

export interface ComputersOptions {
  db: Db;
  config: ComputersConfig;
  clock: Clock;
  log: Logger;
  /** Bounds other than the default ones. */
  limits?: Partial<SandboxLimits>;
  /** For tests: other ways to fetch, steps that fail, and the time by which waits are measured. */
  fetchGuarded?: GuardedFetch;
  connectGuarded?: GuardedConnect;
  steps?: Steps;
  monotonicMs?: () => number;
  /** For computers that dial in: identifies this process in leases, `onlyHolder` if no other can exist. */
  instance?: string;
  onlyHolder?: string | undefined;
  machineTimings?: MachinesOptions["timings"];
  /** For tests: false starts no process before its command arrives. */
  spareProcess?: boolean;
}

const ownerPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** Computers of this process: sandboxes, and those that dial in. */
export function createComputers(options: ComputersOptions): Computers & { readonly machines: Machines } {
  const { db, config, clock, log, steps } = options;
  const limits = {
    ...defaultSandboxLimits,
    ...(config.bubblewrap && { maxBytes: config.bubblewrap.maxHomeBytes }),
    ...options.limits,
  };
  const context: SandboxContext = {
    store: createComputerStore(db, clock, steps),
    blobsOf,
    turns: new FairQueue({ running: Infinity, runningPerOwner: 1 }),
    places: createCommandPlaces(limits.maxCommands, options.monotonicMs),
    runtime: createRuntime({ ...options, limits, now: () => clock.now() }),
    limits,
    clock,
    log,
  };
  const open = new Map<string, OpenComputer>();
  const { machineTimings: timings } = options;
  const machines = createMachines({ ...options, ...(timings && { timings }) });

  function blobsOf(agentId: string): BlobStore {
    // It names a folder.
    if (!ownerPattern.test(agentId)) throw new Error("the id of an agent has unexpected characters");
    return openBlobStore(join(config.blobsDirectory, "computers", agentId), steps);
  }

  return {
    commands: context.places,

    check: () => context.runtime.check(),

    async open(owner: ComputerOwner, epoch: number): Promise<Computer> {
      if (owner.kind !== "sandbox") return await machines.open(owner, epoch);
      const holder = await context.store.take(owner, epoch);
      const before = open.get(owner.agentId);
      // The older holder's results can no longer be stored.
      if (before !== undefined && before.epoch < epoch) void before.computer.stop();
      const computer = new Sandbox(context, holder);
      open.set(owner.agentId, { computer, epoch });
      return computer;
    },

    async stateOf(owner: ComputerOwner): Promise<ComputerState> {
      if (owner.kind !== "sandbox") return await machines.stateOf(owner);
      const here = open.get(owner.agentId)?.computer.state();
      if (here === "running") return here;
      return (await context.store.find(owner.projectId, owner.agentId)) === null ? "none" : "paused";
    },

    async history(projectId: string, agentId: string): Promise<ExecutedCall[]> {
      return callsIn((await context.store.find(projectId, agentId))?.log ?? []);
    },

    machines,

    async remove(projectId: string, agentId: string): Promise<void> {
      await machines.store.delete({ projectId, computerId: computerIdOf(agentId) });
      if ((await context.store.find(projectId, agentId)) === null) return;
      await open.get(agentId)?.computer.stop();
      open.delete(agentId);
      await context.runtime.forget(agentId);
      await blobsOf(agentId).destroy();
      // Last: if the process dies before, the removal is repeated.
      await context.store.remove(projectId, agentId);
    },

    async close(): Promise<void> {
      await machines.close();
      await Promise.all([...open.values()].map(({ computer }) => computer.stop()));
      open.clear();
      await context.runtime.close();
    },
  };
}

interface OpenComputer {
  computer: Sandbox;
  epoch: number;
}

/** A call that was begun again, because its process died, appears once for each start. */
function callsIn(log: readonly LogLine[]): ExecutedCall[] {
  const calls: ExecutedCall[] = [];
  for (const { callId, epoch, step, at } of log) {
    if (step === "start") {
      calls.push({ callId, epoch, startedAtMs: at.getTime() });
      continue;
    }
    const started = calls.findLast((call) => call.callId === callId && call.epoch === epoch);
    if (started !== undefined) started.stoppedAtMs = at.getTime();
  }
  return calls;
}

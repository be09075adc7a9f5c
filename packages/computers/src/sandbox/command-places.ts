import { FairQueue } from "@muster/service";
import { defaultTimeoutSeconds } from "../tools/definitions.ts";

/** A command that waits for a place. */
export interface PlacedCommand {
  projectId: string;
  agentId: string;
  /** How long it may run. */
  timeoutMs: number;
}

export type CommandPlaces = ReturnType<typeof createCommandPlaces>;

/**
 * The commands that may run at once in this process, whatever runs them.
 * Projects take turns, and within a project its agents. One project has at most half of the places, so others find one. Commands
 * that may run for longer than by default have at most half of the places, too, and of these one project has at most half: so
 * the time that a place is taken for, and thus the wait of others, is bounded by the default, however many projects there are.
 */
export function createCommandPlaces(maxCommands: number, monotonicMs?: () => number) {
  const half = (places: number) => Math.max(1, Math.floor(places / 2));
  const share = half(maxCommands);
  const all = new FairQueue({ running: maxCommands, runningPerOwner: share }, monotonicMs);
  const long = new FairQueue({ running: share, runningPerOwner: half(share) }, monotonicMs);
  return {
    /** Runs the task in a place of its own; it gets the milliseconds that it has waited. Rejects as FairQueue does. */
    run<T>(
      { projectId, agentId, timeoutMs }: PlacedCommand,
      task: (waitedMs: number) => Promise<T>,
      signal: AbortSignal,
    ): Promise<T> {
      const options = { member: agentId, signal };
      if (timeoutMs <= defaultTimeoutSeconds * 1_000) return all.run(projectId, task, options);
      return long.run(
        projectId,
        (firstMs) => all.run(projectId, (waitedMs) => task(firstMs + waitedMs), options),
        options,
      );
    },
    /** Commands that wait. */
    get waiting() {
      return all.waiting + long.waiting;
    },
    /** How long the first of them has been waiting. */
    get oldestMs() {
      return Math.max(all.oldestMs, long.oldestMs);
    },
  };
}

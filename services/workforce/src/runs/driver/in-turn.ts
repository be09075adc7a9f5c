import { setTimeout } from "node:timers/promises";
import { keyOfMachine } from "@muster/computers";
import type { WorkforceContext } from "../../context.ts";
import { ownerOf } from "../../store/agent-document.ts";
import type { ThreadDocument } from "../../store/thread-document.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { reachComputer } from "./reach-computer.ts";

/**
 * Runs on a shared computer take turns, in order. The process that has its connection keeps the order: a
 * run that waits moves with the computer. Throws {@link Broken} if the computer cannot be reached; waiting for another run
 * takes as long as that run.
 */
export async function inTurn<T>(
  { context, run }: { context: WorkforceContext; run: ActiveRun },
  { request }: Pick<ThreadDocument, "request">,
  work: () => Promise<T>,
): Promise<T> {
  const owner = ownerOf(run.agent);
  if (owner.computerId === undefined) return await work();
  await reachComputer(context, run, request !== null);
  const { computers, computerTurns, timings } = context;
  const waiting = new AbortController();
  const watch = async () => {
    while (!waiting.signal.aborted) {
      await setTimeout(timings.pollEveryMs, undefined, { signal: waiting.signal });
      if (await computers.machines.isElsewhere(owner)) run.stop("draining");
    }
  };
  // The store does not respond: the run notices itself.
  watch().catch(() => undefined);
  const line = JSON.stringify(keyOfMachine(owner));
  try {
    return await computerTurns.run(
      line,
      async () => {
        waiting.abort();
        return await work();
      },
      { member: owner.agentId, signal: run.stopping },
    );
  } finally {
    waiting.abort();
  }
}

import { setTimeout } from "node:timers/promises";
import {
  type Computer,
  ComputerElsewhereError,
  type ComputerInfo,
  ComputerUnreachableError,
  StaleEpochError,
} from "@muster/computers";
import type { WorkforceContext } from "../../context.ts";
import { ownerOf } from "../../store/agent-document.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { Broken } from "./broken.ts";
import { persist } from "./persist.ts";

/** A computer that is ready for calls. */
export interface ReachedComputer {
  computer: Computer;
  info: ComputerInfo;
}

/** The context of {@link reachComputer}. */
export interface Reaching extends Pick<WorkforceContext, "timings" | "log"> {
  computers: Pick<WorkforceContext["computers"], "open">;
}

/** Opens and starts the agent's computer. `hasStarted`: the run had reached it before. Throws {@link Broken}. */
export async function reachComputer(
  { computers, timings, log }: Reaching,
  run: ActiveRun,
  hasStarted: boolean,
): Promise<ReachedComputer> {
  const { agent, driver, stopping } = run;
  const deadlineMs = performance.now() + timings.computerStartMs;
  for (;;) {
    run.check();
    try {
      return await persist(run, async () => {
        const computer = await computers.open(ownerOf(agent), driver.epoch);
        return { computer, info: await computer.start(stopping) };
      });
    } catch (error) {
      run.check();
      if (error instanceof StaleEpochError) {
        run.stopNow("lost");
      }
      if (error instanceof ComputerElsewhereError) {
        run.stopNow("draining");
      }
      const isUnreachable = error instanceof ComputerUnreachableError;
      if (!isUnreachable || performance.now() >= deadlineMs) {
        log.warn({ err: error, ...run.threadKey }, "the computer of a run could not be started");
        throw new Broken(hasStarted ? { at: "computer" } : { at: "computer-start", isUnreachable }, {
          cause: error,
        });
      }
      await setTimeout(timings.computerLookMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

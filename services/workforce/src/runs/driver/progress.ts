import type { WorkforceContext } from "../../context.ts";
import { progress } from "../../store/thread-moves.ts";
import type { ActiveRun } from "../slot/active-run.ts";

export type Progress = ReturnType<typeof createProgress>;

/** Tells readers of the thread that its conversation has grown: at most now and then, however much is written. */
export function createProgress(
  { threads, wakeUps, timings, log }: Pick<WorkforceContext, "threads" | "wakeUps" | "timings" | "log">,
  { threadKey, driver }: ActiveRun,
) {
  let timer: NodeJS.Timeout | undefined;
  const note = async (): Promise<void> => {
    timer = undefined;
    try {
      if ((await threads.move(threadKey, progress(driver, {}))) !== null) wakeUps.threadChanged(threadKey);
    } catch (error) {
      log.warn({ err: error, ...threadKey }, "the progress of a thread could not be noted");
    }
  };
  return {
    /** The conversation has grown. */
    grown: (): void => {
      timer ??= setTimeout(() => void note(), timings.progressEveryMs);
    },
    stop: (): void => clearTimeout(timer),
  };
}

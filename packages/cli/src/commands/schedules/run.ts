import { runSchedule as run } from "../../api/schedules.ts";
import { exitCodes } from "../../exit.ts";
import type { AddCommand } from "../../invocation.ts";
import { actOnSchedule } from "./act-on-schedule.ts";

export const runSchedule: AddCommand = (group, act) => {
  const command = group.command("run").description("Run a schedule now. Its times stay the same.");
  actOnSchedule(command, act, async ({ out }, schedule, api) => {
    const { document, status, threadId, problem } = await run(api, schedule);
    const isRefused = status === "skipped";
    if (out.json) out.document(document);
    else if (isRefused) out.line(`Refused: ${problem}`);
    else out.line(threadId === undefined ? "The thread is being started." : `Started ${threadId}.`);
    return isRefused ? exitCodes.failure : exitCodes.fine;
  });
};

import type { AddCommand } from "../../invocation.ts";
import { actOnSchedule } from "./act-on-schedule.ts";
import { stateOf } from "./list.ts";

export const showSchedule: AddCommand = (group, act) => {
  const command = group.command("show").description("Show a schedule with its next and last runs.");
  actOnSchedule(command, act, async ({ out }, schedule) => {
    if (out.json) {
      out.document(schedule.document);
      return undefined;
    }
    const { slug, id, name, times, timezone, message, pausedReason, nextRuns, lastRun } = schedule;
    out.line(`${out.style("bold", slug)} ${id}, ${stateOf(schedule)}: ${name}`);
    if (pausedReason !== undefined) out.line(pausedReason);
    out.line(`${times} ${timezone}`);
    out.line(message);
    for (const next of nextRuns) out.line(`Next run: ${next}`);
    if (lastRun)
      out.line(
        `Last run: ${lastRun.scheduledAt} ${lastRun.status} ${lastRun.threadId ?? lastRun.reason ?? ""}`,
      );
    return undefined;
  });
};

import { listScheduleRuns as fetchRuns } from "../../api/schedules.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";
import { actOnSchedule } from "./act-on-schedule.ts";

const columns = [
  { heading: "TIME" },
  { heading: "STATUS" },
  { heading: "THREAD" },
  { heading: "OUTCOME" },
  { heading: "PROBLEM", shrinks: true },
];

export const listScheduleRuns: AddCommand = (group, act) => {
  const command = group
    .command("runs")
    .description("List the threads that a schedule has started, and why times were skipped.")
    .option("--limit <number>", "How many (default: 20)");
  actOnSchedule(command, act, async ({ out, options }, schedule, api) => {
    const { runs, hasMore } = await fetchRuns(api, schedule, options.limit());
    if (out.json) {
      out.document({ runs: runs.map(({ document }) => document), hasMore });
      return undefined;
    }
    const rows = runs.map(({ scheduledAt, until, status, reason, threadId, outcome, problem }) => {
      const time = until === undefined ? scheduledAt : `${scheduledAt} to ${until}`;
      return [time, reason ?? status, threadId ?? "", outcome ?? "", problem ?? ""];
    });
    showTable(out, columns, rows);
    if (hasMore) out.note("There are more runs; list them with a larger --limit.");
    return undefined;
  });
};

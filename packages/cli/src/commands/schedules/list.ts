import { listSchedules as fetchSchedules, type Schedule } from "../../api/schedules.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";

const columns = [
  { heading: "SLUG" },
  { heading: "ID" },
  { heading: "TIMES", shrinks: true },
  { heading: "STATE" },
  { heading: "LAST RUN" },
  { heading: "NEXT", isTime: true, isOptional: true },
];

export const listSchedules: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the schedules of a workforce agent.")
    .argument("<agent>", "Name, slug or id of the agent")
    .action(
      act(async ({ args, out, api: connect }) => {
        const api = connect();
        const schedules = await fetchSchedules(api, (await findHiredAgent(api, args[0] ?? "")).id);
        if (out.json) {
          out.document({ schedules: schedules.map(({ document }) => document) });
          return;
        }
        const rows = schedules.map((schedule) => {
          const { slug, id, times, timezone, lastRun, nextRuns } = schedule;
          const last = lastRun?.outcome ?? lastRun?.status ?? "";
          return [slug, id, `${times} ${timezone}`, stateOf(schedule), last, nextRuns[0] ?? ""];
        });
        showTable(out, columns, rows);
        for (const { slug, pausedReason } of schedules)
          if (pausedReason) out.note(`${slug}: ${pausedReason}`);
      }),
    );
};

export function stateOf({ enabled, pausedReason, nextRuns }: Schedule): string {
  if (!enabled || pausedReason !== undefined) return "paused";
  return nextRuns.length === 0 ? "ended" : "enabled";
}

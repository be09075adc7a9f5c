import { switchSchedule } from "../../api/schedules.ts";
import type { AddCommand } from "../../invocation.ts";
import { actOnSchedule } from "./act-on-schedule.ts";

function switching(to: "pause" | "resume", description: string): AddCommand {
  return (group, act) =>
    actOnSchedule(group.command(to).description(description), act, async ({ out }, schedule, api) => {
      const { document, slug, nextRuns } = await switchSchedule(api, schedule, to);
      if (out.json) out.document(document);
      else if (to === "pause") out.line(`${slug} is paused.`);
      else out.line(`${slug} runs again. Its next run: ${nextRuns[0] ?? "none"}.`);
      return undefined;
    });
}

export const pauseSchedule = switching("pause", "Pause a schedule: its times pass until it is resumed.");

export const resumeSchedule = switching(
  "resume",
  "Resume a schedule, including one that the platform has paused after five failures.",
);

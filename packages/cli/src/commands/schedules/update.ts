import { updateSchedule as update } from "../../api/schedules.ts";
import type { AddCommand } from "../../invocation.ts";
import { actOnSchedule } from "./act-on-schedule.ts";
import { addSettings, settingsOf } from "./settings.ts";

export const updateSchedule: AddCommand = (group, act) => {
  const command = group
    .command("update")
    .description("Change a schedule. New times count from now.")
    .option("--name <name>", "A name for users")
    .option("--message <text>", "The message of later threads");
  actOnSchedule(addSettings(command), act, async ({ out, options }, schedule, api) => {
    const changes = { ...settingsOf(options), message: options.text("message") };
    const changed = await update(api, schedule, changes);
    if (out.json) out.document(changed.document);
    else out.line(`${changed.slug} runs at ${changed.times} ${changed.timezone}.`);
    return undefined;
  });
};

import { deleteSchedule as remove } from "../../api/schedules.ts";
import { confirm } from "../../confirm.ts";
import type { AddCommand } from "../../invocation.ts";
import { actOnSchedule } from "./act-on-schedule.ts";

export const deleteSchedule: AddCommand = (group, act) => {
  const command = group
    .command("delete")
    .description("Delete a schedule with its ledger. Its threads stay.")
    .option("--yes", "Skip the confirmation prompt");
  actOnSchedule(command, act, async ({ io, out, options }, schedule, api) => {
    const { id, slug } = schedule;
    if (!options.flag("yes")) await confirm(io, out, `Delete the schedule ${slug} from ${api.url}?`, "--yes");
    await remove(api, schedule);
    if (out.json) out.document({ id, deleted: true });
    else out.line(`Deleted ${slug}.`);
    return undefined;
  });
};

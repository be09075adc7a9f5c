import { createSchedule as create } from "../../api/schedules.ts";
import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";
import { addSettings, settingsOf } from "./settings.ts";

export const createSchedule: AddCommand = (group, act) => {
  const command = group
    .command("create")
    .description("Send a message to a workforce agent at set times.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<message>", "The message of each thread")
    .requiredOption("--name <name>", "A name for users")
    .option("--slug <slug>", "Its name among the agent's schedules (default: derived from the name)");
  const times = '--cron "0 9 * * 1-5" --timezone Europe/Berlin';
  addSettings(command)
    .addHelpText(
      "after",
      examples(`muster schedules create Lou "Report the failures." --name Report ${times}`),
    )
    .action(
      act(async ({ args, out, options, api: connect }) => {
        const [name = "", message] = args;
        const api = connect();
        const agent = await findHiredAgent(api, name);
        const { timezone = Intl.DateTimeFormat().resolvedOptions().timeZone, ...settings } =
          settingsOf(options);
        const body = { ...settings, timezone, message, slug: options.text("slug") };
        const schedule = await create(api, agent.id, body);
        if (out.json) {
          out.document(schedule.document);
          return;
        }
        const [next] = schedule.nextRuns;
        out.line(`Created ${schedule.slug} (${schedule.id}). Its next run: ${next ?? "none"}.`);
        out.hint({ purpose: "To run it now", args: `schedules run ${agent.id} ${schedule.slug}` });
      }),
    );
};

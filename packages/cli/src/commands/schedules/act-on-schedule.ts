import type { Command } from "commander";
import { findSchedule, type Schedule } from "../../api/schedules.ts";
import type { ExitCode } from "../../exit.ts";
import type { Api } from "../../http/api.ts";
import type { Act, Invocation } from "../../invocation.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";

type OfSchedule = (invocation: Invocation, schedule: Schedule, api: Api) => Promise<ExitCode | undefined>;

/** Adds the arguments of a command about one schedule, and what it does. */
export function actOnSchedule(command: Command, act: Act, handle: OfSchedule): void {
  command
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<schedule>", "Slug or id of the schedule")
    .action(
      act(async (invocation) => {
        const [agent = "", name = ""] = invocation.args;
        const api = invocation.api();
        const { id } = await findHiredAgent(api, agent);
        return handle(invocation, await findSchedule(api, id, name), api);
      }),
    );
}

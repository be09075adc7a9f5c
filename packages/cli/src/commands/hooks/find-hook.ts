import { type Hook, listHooks } from "../../api/hooks.ts";
import { CliError, exitCodes } from "../../exit.ts";
import type { Api } from "../../http/api.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";

/** A hook by its slug or its id, of an agent by its name or its id. */
export async function findHook(api: Api, [agentName = "", name = ""]: readonly string[]): Promise<Hook> {
  const agent = await findHiredAgent(api, agentName);
  const hook = (await listHooks(api, agent.id)).find(({ id, slug }) => id === name || slug === name);
  if (hook !== undefined) return hook;
  const hint = { purpose: "To list the hooks of the agent", args: `hooks list ${agent.id}` };
  const message = `No hook of ${agent.name} has the slug or the id ${name}.`;
  throw new CliError(exitCodes.failure, "NOT_FOUND", message, { hint, status: 404 });
}

import { getHiredAgent, type HiredAgent, listHiredAgents } from "../api/workforce.ts";
import { CliError, exitCodes, usageError } from "../exit.ts";
import { type Api, isStatus } from "../http/api.ts";

/** A workforce agent by its id, its slug or its name. Names need not be unique: an ambiguous one is a usage error. */
export async function findHiredAgent(api: Api, name: string): Promise<HiredAgent> {
  if (name.startsWith("agt_")) {
    try {
      return await getHiredAgent(api, name);
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  }
  const named = (await listHiredAgents(api)).filter((agent) => [agent.slug, agent.name].includes(name));
  const [found, ...others] = named;
  if (found === undefined) throw unknownAgent(name);
  if (others.length === 0) return found;
  const ids = named.map(({ id }) => id).join(", ");
  throw usageError(`${named.length} workforce agents are named ${name}. Give an id instead: ${ids}.`);
}

function unknownAgent(name: string): CliError {
  const message = `No workforce agent of this project has the name, the slug or the id ${name}.`;
  const hint = { purpose: "To list the workforce agents", args: "workforce list" };
  return new CliError(exitCodes.failure, "NOT_FOUND", message, { hint, status: 404 });
}

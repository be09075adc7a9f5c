import { CliError } from "../exit.ts";
import type { Api } from "../http/api.ts";
import { byOf, getAgent } from "./agents.ts";

/**
 * The id of an agent, for routes that accept no slug. An id is sent unchanged: the server checks it, and the key may be
 * unable to read agents. A slug of a key that is unable to fails with the advice to give the id.
 */
export async function agentIdOf(api: Api, name: string): Promise<string> {
  if (byOf(name) === undefined) return name;
  try {
    return (await getAgent(api, name)).id;
  } catch (error) {
    if (!(error instanceof CliError) || error.status !== 403) throw error;
    const message = `This key cannot look up the slug ${name}. Give the id of the agent, agt_…, instead.`;
    throw new CliError(error.exitCode, error.code, message, error);
  }
}

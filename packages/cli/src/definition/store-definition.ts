import type { DefinitionSource } from "@muster/language";
import { type Agent, createAgent, updateAgent } from "../api/agents.ts";
import { CliError, failure } from "../exit.ts";
import type { Api } from "../http/api.ts";

/**
 * Creates the agent, or updates it if it is still at the version of `agent`. Returns the stored version. Throws
 * CHANGED_ON_SERVER if someone else was faster; `folder` is for the hint.
 */
export async function storeDefinition(
  api: Api,
  agent: Agent | undefined,
  definition: DefinitionSource,
  folder: string,
): Promise<Agent> {
  try {
    if (agent === undefined) return { ...(await createAgent(api, definition)), definition };
    return { id: agent.id, version: await updateAgent(api, agent, definition), definition };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.code === "VERSION_MISMATCH" || error.code === "SLUG_TAKEN")
      throw changedMeanwhile(definition.settings.slug, agent, folder);
    throw error;
  }
}

function changedMeanwhile(slug: string, agent: Agent | undefined, folder: string): CliError {
  const change =
    agent === undefined
      ? `${slug} was created by someone else in the meantime.`
      : `${slug} is no longer at version ${agent.version}: someone else has changed it.`;
  const hint = { purpose: "To see the differences before you push again", args: `agents diff ${folder}` };
  return failure("CHANGED_ON_SERVER", `${change} Nothing was pushed.`, { hint });
}

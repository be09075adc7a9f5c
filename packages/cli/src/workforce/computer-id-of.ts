import type { Api } from "../http/api.ts";
import { findHiredAgent } from "./find-hired-agent.ts";

/** Whose tokens are meant: `cmp_…` itself, or the id of the agent with this name, slug or id. */
export async function computerIdOf(api: Api, name: string): Promise<string> {
  return name.startsWith("cmp_") ? name : (await findHiredAgent(api, name)).id;
}

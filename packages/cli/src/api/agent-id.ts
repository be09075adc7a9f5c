import type { Api } from "../http/api.ts";
import { byOf, getAgent } from "./agents.ts";

/**
 * The id of an agent, for routes that accept no slug. An id is sent unchanged: the server checks it, and the key may be
 * unable to read agents.
 */
export async function agentIdOf(api: Api, name: string): Promise<string> {
  return byOf(name) === undefined ? name : (await getAgent(api, name)).id;
}

import type { Api } from "../http/api.ts";
import { optionalText } from "../read.ts";

/** Returns the id of the only agent that the key may use; undefined if it is not restricted. */
export async function agentOfKey(api: Api): Promise<string | undefined> {
  return optionalText(await api.read("GET", "/api/credential"), "agentId");
}

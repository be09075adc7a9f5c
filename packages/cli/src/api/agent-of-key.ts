import type { Api } from "../http/api.ts";
import { optionalText, record } from "../read.ts";

/** Returns the id of the only agent that the key may use; undefined if it is not restricted. */
export async function agentOfKey(api: Api): Promise<string | undefined> {
  const { body } = await api.request("GET", "/api/credential");
  return optionalText(record(body), "agentId");
}

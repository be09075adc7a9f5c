import type { HiredAgentList } from "@muster/client";
import { muster, route } from "../../api.ts";

export interface OfAgent<Item> {
  agentId: string;
  agentName: string;
  item: Item;
}

export interface OfAgents<Item> {
  rows: ReadonlyArray<OfAgent<Item>>;
  nextCursor: string | null;
}

export const hiredAgents = "/api/admin/workforce/agents";

/** Lists that the API has per workforce agent, of one page of agents after the other. */
export function readOfAgents<Reply, Item>(
  kind: "schedules" | "hooks",
  itemsOf: (reply: Reply) => readonly Item[],
) {
  return async (cursor: string | undefined, signal: AbortSignal | undefined): Promise<OfAgents<Item>> => {
    const query = { cursor, limit: 20 };
    const { agents, nextCursor } = await muster.request<HiredAgentList>("GET", hiredAgents, {
      query,
      signal,
    });
    const rows = agents.map(async ({ agentId, name: agentName }) => {
      const reply = await muster.request<Reply>(
        "GET",
        `${route`/api/admin/workforce/agents/${agentId}`}/${kind}`,
        {
          signal,
        },
      );
      return itemsOf(reply).map((item) => ({ agentId, agentName, item }));
    });
    return { rows: (await Promise.all(rows)).flat(), nextCursor };
  };
}

import type { KeyList } from "@muster/client";
import { useApi } from "../../api.ts";
import { useAgents } from "../../parts/use-agents.ts";
import type { Split } from "./choices.ts";

const nobody: Readonly<Record<Split, string>> = {
  agent: "no agent",
  model: "no model",
  key: "no key",
  subject: "no subject",
};

/** Names ids of agents and keys; those that no longer exist keep their id. */
export function useGroupNames(by: Split): (id: string | null) => string {
  const agents = useAgents();
  const keys = useApi<KeyList>(by === "key" ? "/api/admin/keys" : null);
  const known = { agent: agents, key: keys.data?.keys ?? [], model: [], subject: [] }[by];
  return (id) => (id === null ? nobody[by] : (known.find((named) => named.id === id)?.name ?? id));
}

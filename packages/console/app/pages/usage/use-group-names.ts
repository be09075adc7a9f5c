import { useKeyNames } from "../../parts/key-names.ts";
import { useAgentNames } from "../../parts/use-agents.ts";
import type { Split } from "./choices.ts";

const nobody: Readonly<Record<Split, string>> = {
  agent: "no agent",
  model: "no model",
  key: "no key",
  subject: "no subject",
};

/** Names ids of agents and keys; those that no longer exist keep their id. */
export function useGroupNames(by: Split): (id: string | null) => string {
  const same = (id: string) => id;
  const nameOf = { agent: useAgentNames(), key: useKeyNames(), model: same, subject: same }[by];
  return (id) => (id === null ? nobody[by] : nameOf(id));
}

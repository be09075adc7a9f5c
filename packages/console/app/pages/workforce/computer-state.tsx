import type { Computer } from "@muster/client";
import { Status } from "../../parts/status.tsx";

/** A computer that is `running` is connected; that its agents work is another matter. */
const words = {
  running: ["connected", "good"],
  starting: ["reconnecting", "warn"],
  down: ["not connected", "bad"],
  none: ["not connected", "muted"],
} as const;

export function ComputerState({ computer: { state } }: { computer: Pick<Computer, "state"> }) {
  const known = Object.entries(words).find(([name]) => name === state)?.[1];
  return known === undefined ? <Status state={state} /> : <Status state={known[0]} tone={known[1]} />;
}

import type { Provider } from "@muster/client";
import { Status } from "./status.tsx";

type State = Provider["status"];

const states: Readonly<Record<State, { state: string; tone: "good" | "muted" | "bad" | "warn" }>> = {
  ok: { state: "ready", tone: "good" },
  not_configured: { state: "no key", tone: "muted" },
  key_refused: { state: "key refused", tone: "bad" },
  unreachable: { state: "unreachable", tone: "warn" },
};

/** Whether the models of a provider can be used. */
export function ProviderStatus({ status }: { status: State }) {
  return <Status {...states[status]} />;
}

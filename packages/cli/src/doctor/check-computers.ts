import { type ConnectedComputer, listComputers } from "../api/computers.ts";
import { CliError } from "../exit.ts";
import type { Api } from "../http/api.ts";
import type { Output } from "../output.ts";
import { attempt } from "./server.ts";
import type { Check } from "./show-checks.ts";

/** The computers that dial in. None for a key without the permission, and for a server that does not have them. */
export async function checkComputers(api: Api, out: Output): Promise<Check[]> {
  const computers = await attempt(() => listComputers(api));
  if (computers instanceof CliError) {
    if (computers.status === 403 || computers.status === 404) return [];
    return [{ name: "computers", status: "failed", message: computers.message }];
  }
  return computers.map((computer) => ({
    name: `computer ${computer.name}`,
    ...stateOf(computer, (iso) => out.time(iso)),
  }));
}

function stateOf(
  { state, kind, lastSeenAt }: ConnectedComputer,
  time: (iso: string) => string,
): Omit<Check, "name"> {
  if (state === "running") return { status: "ok", message: "connected" };
  if (state === "starting") return { status: "ok", message: "lost its connection, and may reconnect" };
  const remedy = "Run muster-computer connect on it";
  const since =
    lastSeenAt === undefined
      ? `it has never connected. Create a token with muster computers tokens create. ${remedy}.`
      : `it was last connected ${time(lastSeenAt)}. ${remedy}: its output says why the connection ended.`;
  // A command-line session is only there while its user works.
  if (kind === "cli") return { status: "off", message: `not connected: ${since}` };
  return { status: "failed", message: `down: ${since}` };
}

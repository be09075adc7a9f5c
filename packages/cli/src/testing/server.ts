import type { TestContext } from "node:test";
import type { TestClient } from "@muster/local/testing";
import { startTestServer } from "@muster/local/testing/server";
import { type ScriptedStep, startScriptedProvider } from "@muster/models/testing";
import { type Finished, muster, type Setup, StartedMuster } from "./muster.ts";

/** A server, and the command as somebody runs it who has its admin key. */
export interface Workplace {
  url: string;
  key: string;
  client: TestClient;
  env: Record<string, string>;
  run(args: readonly string[], setup?: Setup): Promise<Finished>;
  start(args: readonly string[], setup?: Setup): StartedMuster;
}

/** Starts Muster; `settings` are those of docs/configuration.md. */
export async function startWorkplace(
  t: TestContext,
  settings: Record<string, string> = {},
): Promise<Workplace> {
  const { url, key, client } = await startTestServer(t, settings);
  const env = { MUSTER_URL: url, MUSTER_API_KEY: key };
  const withEnv = (setup: Setup = {}): Setup => ({ ...setup, env: { ...env, ...setup.env } });
  return {
    ...{ url, key, client, env },
    run: (args, setup) => muster(args, withEnv(setup)),
    start: (args, setup) => new StartedMuster(args, withEnv(setup)),
  };
}

/** The same with models of Anthropic that follow a script. */
export async function startScriptedWorkplace(
  t: TestContext,
  steps: ScriptedStep[],
  settings: Record<string, string> = {},
): Promise<Workplace> {
  const stops: Array<() => void | Promise<void>> = [];
  const after = (stop: () => void | Promise<void>) => void stops.push(stop);
  const provider = await startScriptedProvider({ after }, { format: "anthropic", steps });
  const scripted = { ANTHROPIC_BASE_URL: provider.baseUrl, ANTHROPIC_API_KEY: "test", ...settings };
  // Hooks run in order up to one that throws, as a script that was not followed does: the server has to stop before.
  return startWorkplace(t, scripted).finally(() => {
    for (const stop of stops) t.after(stop);
  });
}

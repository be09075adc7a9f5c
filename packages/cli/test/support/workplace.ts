import { startTestServer } from "@muster/local/testing/server";
import { type ScriptedStep, startScriptedProvider } from "@muster/models/testing";
import type { TestClient, TestScope } from "@muster/testing";
import { type Finished, muster, type Setup, StartedMuster } from "./muster.ts";

/** A server, and the command as run by a user with its admin key. */
export interface Workplace {
  url: string;
  key: string;
  client: TestClient;
  env: Record<string, string>;
  run(args: readonly string[], setup?: Setup): Promise<Finished>;
  start(args: readonly string[], setup?: Setup): StartedMuster;
}

/** Starts Muster with settings of docs/configuration.md. */
export async function startWorkplace(
  t: TestScope,
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

/** Starts Muster with Anthropic models that follow a script. */
export async function startScriptedWorkplace(
  t: TestScope,
  steps: ScriptedStep[],
  settings: Record<string, string> = {},
): Promise<Workplace> {
  const provider = await startScriptedProvider(t, { format: "anthropic", steps });
  const scripted = { ANTHROPIC_BASE_URL: provider.baseUrl, ANTHROPIC_API_KEY: "test", ...settings };
  return startWorkplace(t, scripted);
}

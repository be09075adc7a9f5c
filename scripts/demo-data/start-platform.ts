import { createLocal } from "@muster/local";
import { readLocalConfig } from "@muster/local/config";
import { createIds, silentLogger } from "@muster/service";
import type { TestScope } from "@muster/testing";
import type { MovingClock } from "./moving-clock.ts";

export interface Platform {
  url: string;
  /** The bootstrap key. */
  key: string;
}

/** Starts all services in this process on an empty data folder, by the clock. `settings`: as in docs/configuration.md. */
export async function startPlatform(
  scope: TestScope,
  clock: MovingClock,
  settings: Readonly<Record<string, string>>,
): Promise<Platform> {
  const config = readLocalConfig({
    ...{ PORT: "0", LOG_LEVEL: "error", WEBHOOK_ALLOWED_HOSTS: "127.0.0.1", MCP_ALLOWED_HOSTS: "127.0.0.1" },
    // The conversations of the whole week can be read, and videos would take longer than everything else.
    ...{ SESSION_TTL_HOURS: "720", RECORDER_CONCURRENCY: "0", MAX_EVENT_LOOP_DELAY_MS: "0" },
    ...settings,
  });
  const fail = (error: Error): never => {
    throw error;
  };
  const local = createLocal(config, silentLogger, fail, { clock, newId: createIds(() => clock.now()) });
  await local.start();
  scope.onTestFinished(() => local.stop());
  const key = local.bootstrapKey?.reveal();
  if (key === undefined) throw new Error(`${config.dataDirectory} is not empty.`);
  return { url: local.url, key };
}

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sharedChecker } from "@muster/agents/testing";
import { silentLogger } from "@muster/service";
import { TestClient, type TestScope } from "@muster/testing";
import { readLocalConfig } from "../../src/config.ts";
import { createLocal, type LocalParts } from "../../src/local.ts";

export interface TestServer {
  url: string;
  /** The bootstrap key: all permissions, any project. */
  key: string;
  /** Calls with that key. */
  client: TestClient;
}

/**
 * Starts the whole of Muster in this process, on a free port and an empty data folder, and stops it after the test.
 * `env` contains settings as in docs/configuration.md.
 */
export async function startTestServer(
  t: TestScope,
  env: Record<string, string> = {},
  parts: Pick<LocalParts, "clock" | "heartbeatMs"> = {},
): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), "muster-test-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const usual = {
    ...{ PORT: "0", DEMO_WORD_DELAY_MS: "0" },
    // Tests run side by side, and a video would wait for all others.
    RECORDER_PRIORITY: "normal",
    // The server shares the event loop of its test.
    MAX_EVENT_LOOP_DELAY_MS: "0",
  };
  const config = readLocalConfig({ ...usual, DATA_DIR: directory, ...env });
  const local = createLocal(config, silentLogger, (error) => assert.fail(error), {
    checker: sharedChecker(),
    // Most tests run one command.
    spareProcess: false,
    // A busy machine must not cost a turn its tools.
    listToolsMs: 60_000,
    ...parts,
  });
  await local.start();
  t.onTestFinished(() => local.stop());
  const key = env.MUSTER_ADMIN_KEY ?? local.bootstrapKey?.reveal();
  assert.ok(key);
  return { url: local.url, key, client: new TestClient(local.url, key) };
}

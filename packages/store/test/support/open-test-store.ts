import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadEmbeddedStore, startEmbeddedStore } from "@muster/embedded-store";
import { silentLogger } from "@muster/service";
import type { TestScope } from "@muster/testing";
import { openStore, type Store } from "../../src/open-store.ts";

export interface TestStore extends Store {
  /** For services that open their own store. */
  readonly uri: string;
  /** Unique per call: databases named `<databasePrefix>_<anything>` belong to this test. */
  readonly databasePrefix: string;
}

/**
 * A store for one test: the server in `MONGODB_URI`, else an embedded one that all tests in this process
 * share. The test's databases are dropped after it.
 */
export async function openTestStore(t: TestScope): Promise<TestStore> {
  const uri = process.env.MONGODB_URI || (await embeddedUri());
  const databasePrefix = `muster_test_${randomBytes(6).toString("hex")}`;
  const store = await openStore({ uri, database: `${databasePrefix}_test`, log: silentLogger });
  t.onTestFinished(async () => {
    await dropDatabases(store, databasePrefix);
    await store.close();
  });
  return { ...store, uri, databasePrefix };
}

async function dropDatabases(store: Store, prefix: string): Promise<void> {
  const { databases } = await store.db.admin().listDatabases({ nameOnly: true });
  const client = store.db.client;
  for (const { name } of databases) {
    if (name.startsWith(`${prefix}_`)) await client.db(name).dropDatabase();
  }
}

let embedded: Promise<string> | undefined;

/** One for all test files of this process: loading another one takes longer than most tests. */
function embeddedUri(): Promise<string> {
  embedded ??= startEmbedded();
  return embedded;
}

async function startEmbedded(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "muster-store-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const loaded = loadEmbeddedStore();
  // The clocks of most tests are in the past: a sweep would remove documents that are valid for them.
  const { patientUri } = await startEmbeddedStore({ directory, sweepIntervalMs: 2 ** 31 - 1 }, loaded);
  // It belongs to no file, and ends with the process.
  loaded.worker.unref();
  return patientUri;
}

import assert from "node:assert/strict";
import { join } from "node:path";
import { createLocal } from "@muster/local";
import { readLocalConfig } from "@muster/local/config";
import { silentLogger } from "@muster/service";
import { openTestStore } from "@muster/store/testing";
import { temporaryDirectory } from "@muster/testing";
import { describe, test } from "vitest";
import { muster } from "./support/index.ts";
import { startWorkplace } from "./support/workplace.ts";

describe("muster admin", () => {
  test("a backup of a running Muster is restored into a new folder, where the same keys work", async (t) => {
    const folder = await temporaryDirectory(t);
    const [data, restored, file] = ["data", "restored", "backup"].map((name) => join(folder, name));
    assert.ok(data && restored && file);
    const { run } = await startWorkplace(t, { DATA_DIR: data });
    const key = (
      await run(["keys", "create", "--name", "CI", "--permission", "agents", "--quiet"])
    ).out.trim();
    const backup = await muster(["admin", "backup", file, "--data-dir", data]);
    assert.deepEqual([backup.code, backup.out], [0, ""], backup.err);
    const again = await muster(["admin", "backup", file, "--data-dir", data]);
    assert.deepEqual([again.code, again.out], [1, ""]);
    assert.match(again.err, /it exists already.*BACKUP_FAILED/);

    const restore = () => muster(["admin", "restore", file], { env: { DATA_DIR: restored } });
    assert.equal((await restore()).code, 0);
    assert.match((await restore()).err, /is not empty.*BACKUP_FAILED/);
    const second = createLocal(readLocalConfig({ PORT: "0", DATA_DIR: restored }), silentLogger, assert.fail);
    t.onTestFinished(() => second.stop());
    await second.start();
    const listed = await muster(["agents", "list"], { env: { MUSTER_URL: second.url, MUSTER_API_KEY: key } });
    assert.equal(listed.code, 0, listed.err);
  });

  test("a stopped Muster is moved to MongoDB, where the same keys work, and a running one is not", async (t) => {
    const { uri, databasePrefix } = await openTestStore(t);
    const shared = {
      PORT: "0",
      MUSTER_DATABASE_PREFIX: databasePrefix,
      DATA_DIR: await temporaryDirectory(t),
    };
    const start = async (env: Record<string, string>) => {
      const local = createLocal(readLocalConfig(env), silentLogger, assert.fail);
      t.onTestFinished(() => local.stop());
      await local.start();
      return local;
    };
    const first = await start(shared);
    const key = first.bootstrapKey?.reveal();
    assert.ok(key);
    const move = () => muster(["admin", "move", "--to", uri], { env: { DATA_DIR: shared.DATA_DIR } });
    const refused = await move();
    assert.equal(refused.code, 1);
    assert.match(refused.err, /another server is using it.*BACKUP_FAILED/);
    await first.stop();
    const moved = await move();
    assert.deepEqual([moved.code, moved.out], [0, ""], moved.err);
    assert.match(moved.err, /_auth\.api_keys: 1 documents, the same in both places/);
    const { url } = await start({ ...shared, MONGODB_URI: uri });
    const listed = await muster(["keys", "list"], { env: { MUSTER_URL: url, MUSTER_API_KEY: key } });
    assert.equal(listed.code, 0, listed.err);
  });
});

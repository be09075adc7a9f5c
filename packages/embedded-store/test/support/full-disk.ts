import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { type TestScope, temporaryDirectory } from "@muster/testing";
import { openStore } from "../../src/open-store.ts";
import { StoreServer } from "../../src/server.ts";

/**
 * A store on this thread whose disk a test can fill: then the store cannot get its reserve back, as on a real full disk. It
 * replaces a function of Node, so a file that uses it needs a process of its own (`scripts/test/own-process.ts`).
 */
export async function startStoreOnDisk(t: TestScope) {
  const store = openStore(await temporaryDirectory(t));
  const server = new StoreServer(store, () => undefined);
  const uri = `mongodb://${await server.listen("127.0.0.1", 0)}/`;
  const { appendFileSync } = fs;
  let isFull = false;
  let refused = 0;
  fs.appendFileSync = (...args: Parameters<typeof appendFileSync>) => {
    if (isFull) {
      refused += 1;
      throw Object.assign(new Error("ENOSPC: the test's disk"), { code: "ENOSPC" });
    }
    appendFileSync(...args);
  };
  syncBuiltinESMExports();
  t.onTestFinished(async () => {
    fs.appendFileSync = appendFileSync;
    syncBuiltinESMExports();
    await server.close();
    store.database.close();
  });
  return {
    uri,
    fill: () => {
      isFull = true;
      store.database.noteDiskFull();
    },
    /** How often the store has tried in vain to get space. */
    refused: () => refused,
    free: () => {
      isFull = false;
    },
  };
}

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { atEndOfFile, cleanUpFile } from "@muster/testing/suite";
import { type TestContext, test } from "vitest";
import { keepEnvironment } from "./environment.ts";
import { watchOpened } from "./open-resources.ts";

async function listen(t: TestContext) {
  const server = createServer();
  t.onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

test("a file is not blamed for a resource that an earlier file left open, but for its own", async (t) => {
  await listen(t);
  const listOpen = watchOpened();
  assert.deepEqual(listOpen(), []);
  const own = await listen(t);
  const address = own.address();
  assert.ok(typeof address === "object" && address !== null);
  const [described, ...others] = listOpen();
  assert.match(
    described ?? "",
    new RegExp(`^server listening on 127.0.0.1:${address.port} \\(opened .*shared-process.test.ts`),
  );
  assert.deepEqual(others, []);
});

test("environment variables that a file set, changed or deleted are as before for the next file", () => {
  process.env.SHARED_PROCESS_CHANGED = "before";
  process.env.SHARED_PROCESS_DELETED = "before";
  const restore = keepEnvironment();
  process.env.SHARED_PROCESS_CHANGED = "after";
  process.env.SHARED_PROCESS_NEW = "after";
  delete process.env.SHARED_PROCESS_DELETED;
  restore();
  assert.equal(process.env.SHARED_PROCESS_CHANGED, "before");
  assert.equal(process.env.SHARED_PROCESS_DELETED, "before");
  assert.equal(process.env.SHARED_PROCESS_NEW, undefined);
});

test("the fixtures that tests share in a file are cleaned up once after it, the latest first", async () => {
  const cleanedUp: string[] = [];
  atEndOfFile(() => void cleanedUp.push("first"));
  atEndOfFile(async () => void cleanedUp.push("second"));
  await cleanUpFile();
  await cleanUpFile();
  assert.deepEqual(cleanedUp, ["second", "first"]);
});

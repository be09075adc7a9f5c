import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { programEnvironment, temporaryDirectory, until } from "@muster/testing";
import { test } from "vitest";

const muster = resolve(import.meta.dirname, "../../../packages/cli/bin/muster.mjs");

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  server.close();
  await once(server, "close");
  return address.port;
}

test("a server whose output is not read serves, reports no error and stops when asked", async (t) => {
  const port = await freePort();
  const env = { ...programEnvironment(), PORT: String(port), DATA_DIR: await temporaryDirectory(t) };
  const child = spawn(process.execPath, [muster, "serve", "all"], { env, stdio: ["ignore", "pipe", "pipe"] });
  t.onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.destroy();
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += String(chunk);
  });
  const ended = once(child, "close");
  const serves = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("the server is ready", async () => child.exitCode !== null || (await serves()));
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
  assert.equal(errors, "");
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { readExample } from "@muster/local/testing/example";
import { startTestServer } from "@muster/local/testing/server";
import { startProxy } from "@muster/testing";
import { test } from "vitest";

const run = promisify(execFile);

test("the program prints the whole reply, and executes the tool once, over connections that are cut", async (t) => {
  const { client, url, key } = await startTestServer(t, { DEMO_WORD_DELAY_MS: "20" });
  await client.json(201, "POST", "/api/agents", await readExample("support-chat"));
  const proxy = await startProxy(t, Number(new URL(url).port));
  let cuts = 0;
  let cutAt = 400;
  const cutting = setInterval(() => {
    if (proxy.sentBytes() < cutAt) return;
    cutAt = proxy.sentBytes() + 900;
    cuts += 1;
    proxy.restore();
    if (cuts === 4) clearInterval(cutting);
  }, 1);
  t.onTestFinished(() => clearInterval(cutting));
  const env = { MUSTER_URL: `http://127.0.0.1:${proxy.port}`, MUSTER_API_KEY: key, PATH: process.env.PATH };
  const program = join(import.meta.dirname, "client.py");
  const { stdout } = await run("python3", [program, "Please use get-order."], { env });
  assert.match(
    stdout,
    /^\[demo\/echo, not a language model\] Calling get-order\.\[.*\] The tool get-order returned .*\n$/,
  );
  assert.ok(cuts > 0, `${cuts} cuts`);
  const { sessions } = await client.json(200, "GET", "/api/agent-sessions");
  assert.equal(Array.isArray(sessions) && sessions.length, 1);
});

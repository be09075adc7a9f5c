import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { programEnvironment, temporaryDirectory, until } from "@muster/testing";
import { type TestContext, test } from "vitest";

const bin = resolve(import.meta.dirname, "../../../packages/cli/bin/muster.mjs");

/** `muster serve` with these words, and everything that it writes. */
function startServe(t: TestContext, words: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [bin, "serve", ...words], {
    env: { ...programEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const written = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    written.out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    written.err += String(chunk);
  });
  // Emitted after the last output, unlike "exit".
  const closed = once(child, "close");
  return {
    child,
    written,
    async printed(pattern: RegExp) {
      while (!pattern.test(written.out)) await Promise.race([once(child.stdout, "data"), closed]);
    },
    async ended() {
      await closed;
      return { code: child.exitCode, signal: child.signalCode, ...written };
    },
  };
}

const names = "all, gateway, auth, agents, sessions, workforce, recorder";

const wrong: Record<string, string[]> = {
  "without a name": [],
  "with an unknown name": ["everything"],
  "with the name of a property of every object": ["constructor"],
  "with an empty name": [""],
  "with several names": ["gateway", "auth"],
};
for (const [how, words] of Object.entries(wrong)) {
  test(`muster serve ${how} prints one sentence with all names and exits with 1`, async (t) => {
    assert.deepEqual(await startServe(t, words).ended(), {
      ...{ code: 1, signal: null, out: "" },
      err: `Error: muster serve needs the name of one process: ${names}. (UNKNOWN_PROCESS)\n`,
    });
  });
}

test("muster serve all runs every service in one process until SIGTERM, and exits with 0", async (t) => {
  const muster = startServe(t, ["all"], { PORT: "0", DATA_DIR: await temporaryDirectory(t) });
  await muster.printed(/running at (http:\S+)/);
  const url = /running at (http:\S+)/.exec(muster.written.out)?.[1] ?? "";
  await until("it is ready", async () => (await fetch(`${url}/readyz`)).ok);
  muster.child.kill("SIGTERM");
  const { code, err } = await muster.ended();
  assert.deepEqual([code, err], [0, ""]);
});

test("muster serve reports all missing and invalid settings at once, also with options of other commands", async (t) => {
  const env = { LOG_LEVEL: "loud", NATS_URL: "http://nats:4222", METRICS_PORT: "9464" };
  const { code, out, err } = await startServe(t, ["auth", "--json"], env).ended();
  assert.deepEqual([code, out], [1, ""]);
  assert.deepEqual(
    err.split("\n").map((line) => line.replace(/^auth cannot start: (\w+) must .+\.$/, "$1")),
    ["LOG_LEVEL", "MUSTER_PRINCIPAL_SECRET", "MONGODB_URI", "NATS_URL", ""],
  );
});

test("muster serve all reports all invalid settings at once", async (t) => {
  const { code, err } = await startServe(t, ["all"], { PORT: "eighty", RECORDING_THEME: "pink" }).ended();
  assert.equal(code, 1);
  assert.match(
    err,
    /^Muster cannot start: PORT must .+\.\nMuster cannot start: RECORDING_THEME must .+\.\n$/,
  );
});

test("a process that has not started yet ends at once with SIGTERM, even if the kernel discards signals without a handler", async (t) => {
  // The address accepts connections and never responds, so the start lasts.
  const silent = createServer((socket) => socket.resume().on("error", () => undefined)).listen(
    0,
    "127.0.0.1",
  );
  await once(silent, "listening");
  t.onTestFinished(() => {
    silent.close();
  });
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : 0;
  const connected = once(silent, "connection");
  const agents = startServe(t, ["agents"], {
    MONGODB_URI: `mongodb://127.0.0.1:${port}`,
    MUSTER_PRINCIPAL_SECRET: "0123456789abcdef0123456789abcdef",
  });
  await connected;
  agents.child.kill("SIGTERM");
  const { code, signal } = await agents.ended();
  assert.deepEqual([code, signal], [143, null]);
});

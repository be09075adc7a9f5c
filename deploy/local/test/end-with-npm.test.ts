import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { programEnvironment, temporaryDirectory, until } from "@muster/testing";
import { type TestContext, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");

/** Runs a command that starts Muster; resolves once it serves. */
async function start(t: TestContext, command: string, args: string[]) {
  const env = {
    ...programEnvironment(),
    HOME: process.env.HOME ?? "",
    PORT: "0",
    DATA_DIR: await temporaryDirectory(t),
  };
  // A group of its own, so that the clean-up reaches a server that has lost its parent.
  const child = spawn(command, args, {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  t.onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {
      // All of them have ended.
    }
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  const url = () => /running at (http:\S+)/.exec(output)?.[1];
  await until("the server runs", () => url() !== undefined);
  return { child, url: url() ?? "" };
}

const serves = (url: string) =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

async function seeServerEndWithNpm(t: TestContext): Promise<void> {
  const { child, url } = await start(t, "npm", ["start"]);
  child.kill("SIGKILL");
  await until("the server has stopped", async () => !(await serves(url)));
}

test("a server that npm started ends when npm is killed", seeServerEndWithNpm);

test("a server that a shell started in the background outlives the shell", async (t) => {
  const main = "deploy/local/src/main.ts";
  const { child, url } = await start(t, "sh", ["-c", `node ${main} & wait`]);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  // When a server that npm starts only now has noticed that npm was killed, the other one would have, too.
  await seeServerEndWithNpm(t);
  assert.ok(await serves(url));
});

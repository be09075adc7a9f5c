import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { until } from "@muster/testing";
import { test } from "vitest";
import { startWorkplace } from "./support/workplace.ts";

const folder = join(import.meta.dirname, "../../../examples/nightly-report");

test("the nightly report runs on its schedule, and its receiver prints the report and the link to the video", async (t) => {
  const { run, url } = await startWorkplace(t, { WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" });
  const outputOf = async (...args: string[]) => {
    const { code, out, err } = await run(args);
    assert.equal(code, 0, err);
    return out.trim();
  };
  await outputOf("apply", "-f", folder);
  const [id = ""] = /whk_\w+/.exec(await outputOf("webhooks", "list")) ?? [];
  const key = await outputOf(
    "workforce",
    "keys",
    "create",
    "Night reporter",
    "--name",
    "receiver",
    "--quiet",
  );
  const env = {
    ...{ MUSTER_URL: url, MUSTER_AGENT_KEY: key, PORT: "0" },
    WEBHOOK_SECRET: await outputOf("webhooks", "rotate", id),
  };
  const receiver = spawn(process.execPath, [join(folder, "receive.mjs")], { env });
  const ended = once(receiver, "exit");
  t.onTestFinished(async () => {
    receiver.kill();
    await ended;
  });
  let printed = "";
  for (const stream of [receiver.stdout, receiver.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  await until("the receiver listens", () => printed.includes("Waiting"));
  const [address = ""] = /http:\S+/.exec(printed) ?? [];
  assert.equal((await fetch(address, { method: "POST", body: "{}" })).status, 401);
  await outputOf("webhooks", "update", id, "--receiver", address);
  await outputOf("schedules", "run", "Night reporter", "nightly");
  await until("the report arrives", () => /^Report of thr_\w+ \(completed\):\n/m.test(printed));
  await until("the video arrives", () => /^Video of thr_\w+: http\S+\/r\/rec_/m.test(printed));
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@muster/testing";
import { expect, test } from "vitest";
import { busyEvents, jobFor } from "./support/sample-run.ts";

const program = join(import.meta.dirname, "./support/render-forever.ts");

test("a process whose parent was killed removes its files and ends", async (t) => {
  const job = await jobFor(t, busyEvents(600_000));
  const parent = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.onTestFinished(() => void parent.kill("SIGKILL"));
  await once(parent.stdout, "data");
  expect(await readdir(job.outputDirectory)).toHaveLength(1);
  parent.kill("SIGKILL");
  await until("the folder is empty", async () => (await readdir(job.outputDirectory)).length === 0);
});

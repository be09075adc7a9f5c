import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runChild } from "../src/child/run-child.ts";
import { busyEvents, jobFor } from "./support/sample-run.ts";

test("a full disk is reported", async (t) => {
  const job = await jobFor(t, busyEvents(1000));
  await mkdir(job.outputDirectory);
  // Whatever is written to this device fails as on a full disk.
  await symlink("/dev/full", join(job.outputDirectory, "video.webm"));
  await expect(runChild({ job }, { signal: new AbortController().signal })).rejects.toMatchObject({
    failure: "disk_full",
    message: "No space was left on the disk for the video.",
  });
});

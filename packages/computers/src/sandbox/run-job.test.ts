import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@muster/testing";
import { describe, test } from "vitest";
import { openBlobStore } from "../store/blob-store.ts";
import { defaultSandboxLimits } from "./default-sandbox-limits.ts";
import { JobKilledError } from "./job-killed-error.ts";
import { runJob } from "./run-job.ts";
import { startShellProcess } from "./start-shell-process.ts";

const entry = fileURLToPath(new URL("../../test/support/liar.ts", import.meta.url));
const { maxBytes, maxEntries, maxMemoryBytes } = defaultSandboxLimits;

describe("a process that lies to its parent gets nothing, and nothing of it is kept", () => {
  const lies = {
    "a frame without end": "broken",
    "an empty frame": "broken",
    "an unknown frame": "broken",
    "a path for a content": "broken",
    "another computer's content": "broken",
    "a request that is not JSON": "broken",
    "an exit code that is not a number": "broken",
    "a manifest with an unknown content": "broken",
    "a manifest with a path as content": "broken",
    "a manifest that is none": "broken",
    "an end in the middle": "crashed",
    "endless output": "output",
  };
  for (const [lie, reason] of Object.entries(lies)) {
    test(lie, async (t) => {
      const shell = startShellProcess({ maxMemoryBytes, entry });
      t.onTestFinished(async () => {
        shell.kill("aborted");
        await shell.ended;
      });
      const job = {
        command: lie,
        cwd: "/",
        timeoutMs: 60_000,
        maxOutputBytes: 1_000_000,
        maxBytes,
        maxEntries,
        epoch: 1,
        network: true,
      };
      const run = runJob(shell, {
        job,
        manifest: new Uint8Array(0),
        blobs: openBlobStore(await temporaryDirectory(t)),
        limits: defaultSandboxLimits,
        fetch: undefined,
        output: () => {},
        signal: new AbortController().signal,
      });
      await assert.rejects(run, (error) => error instanceof JobKilledError && error.reason === reason);
    });
  }
});

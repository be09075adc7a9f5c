import type { SandboxFetch } from "../network/sandbox-fetch.ts";
import type { SandboxLimits } from "./default-sandbox-limits.ts";
import { createProcessPool } from "./process-pool.ts";
import { runJob } from "./run-job.ts";
import type { SandboxRuntime } from "./runtime.ts";
import { shellVersion } from "./versions.ts";

export interface SimulatedRuntimeOptions {
  limits: SandboxLimits;
  /** Absent: no network. */
  fetch: SandboxFetch | undefined;
  keepsSpare: boolean;
}

/** Commands in a simulated shell, on files in memory. */
export function createSimulatedRuntime({
  limits,
  fetch,
  keepsSpare,
}: SimulatedRuntimeOptions): SandboxRuntime {
  const pool = createProcessPool({ ...limits, keepsSpare });
  const hasNetwork = fetch !== undefined;
  const network = hasNetwork ? "curl reaches allowed https hosts." : "There is no network.";
  return {
    imageVersion: shellVersion,
    description:
      "The usual text tools are there (grep, sed, awk, jq, yq, xan for CSV, sort, find, tar, diff); there is no package " +
      `manager and no Python. ${network}`,
    hasNetwork,
    filesBelow: "/",
    async check() {
      return "the simulated shell";
    },
    prepare: () => pool.prepare(),
    run({ command, cwd, timeoutMs, epoch, manifest, blobs, output, signal }) {
      const { maxBytes, maxEntries, maxPrintedBytes: maxOutputBytes } = limits;
      const job = {
        command,
        cwd,
        timeoutMs,
        epoch,
        maxOutputBytes,
        maxBytes,
        maxEntries,
        network: hasNetwork,
      };
      return pool.run(
        (shell) => runJob(shell, { job, manifest, blobs, limits, fetch, output, signal }),
        signal,
      );
    },
    async forget() {},
    close: () => pool.close(),
  };
}

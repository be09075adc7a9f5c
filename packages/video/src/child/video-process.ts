// The process that renders one video: takes an order over IPC, reports progress, and ends.
import { rmSync } from "node:fs";
import { UnreadableTimeline } from "../film/timeline.ts";
import type { Order, Report } from "./job.ts";
import type { RenderFailure } from "./render-error.ts";
import { renderJob } from "./render-job.ts";
import { yieldToRuns } from "./yield-to-runs.ts";

const reportEveryMs = 100;

process.once("message", (order: Order) => {
  if (order.job.priority !== "normal") yieldToRuns();
  const removeFiles = () => rmSync(order.job.outputDirectory, { recursive: true, force: true });
  const orphaned = () => {
    removeFiles();
    process.exit(1);
  };
  // The parent cannot clean up when it was killed itself.
  process.once("disconnect", orphaned);
  void render(order).then((report) => {
    process.off("disconnect", orphaned);
    process.send?.(report, () => process.disconnect());
  });
});
process.send?.(progress(0));

async function render({ job }: Order): Promise<Report> {
  try {
    let toldMs = 0;
    const files = await renderJob(job, (share) => {
      if (performance.now() - toldMs < reportEveryMs || !process.connected) return;
      toldMs = performance.now();
      process.send?.(progress(share));
    });
    return { kind: "done", files };
  } catch (error) {
    return { kind: "failed", failure: failureOf(error), message: String(error) };
  }
}

function progress(share: number): Report {
  const { user, system } = process.cpuUsage();
  return { kind: "progress", share, memoryBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1_000 };
}

function failureOf(error: unknown): RenderFailure {
  if (error instanceof UnreadableTimeline) return "timeline_unreadable";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT" ? "disk_full" : "failed";
}

import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { RenderedFiles, RenderJob, RenderOptions } from "./job.ts";
import { runChild } from "./run-child.ts";

/**
 * Renders the video of a run in a process of its own, with low priority. Either all three files are in
 * `outputDirectory`, or it is unchanged, and the promise rejects with a `RenderError` that says why.
 */
export async function renderVideo(job: RenderJob, options: RenderOptions): Promise<RenderedFiles> {
  options.signal.throwIfAborted();
  await mkdir(job.outputDirectory, { recursive: true });
  const unfinished = await mkdtemp(join(job.outputDirectory, ".unfinished-"));
  try {
    const files = await runChild({ job: { ...job, outputDirectory: unfinished } }, options);
    const moved = { ...files };
    for (const name of ["chapters", "transcript", "video"] as const) {
      moved[name] = join(job.outputDirectory, basename(files[name]));
      await rename(files[name], moved[name]);
    }
    return moved;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

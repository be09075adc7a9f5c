// A process that renders the job of its argument, and prints a line once that is under way.
import { type RenderJob, renderVideo } from "../../src/index.ts";

const job: RenderJob = JSON.parse(process.argv[2] ?? "");
await renderVideo(job, {
  signal: new AbortController().signal,
  onProgress: (share) => {
    if (share > 0) console.log("under way");
  },
});

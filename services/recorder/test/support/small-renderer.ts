import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Rendered, Renderer } from "../../src/renderer.ts";

const program = fileURLToPath(new URL("small-child.ts", import.meta.url));

export interface SmallRendererOptions {
  /** Each child appends a line with its process id and its action. */
  diary?: string;
  /** How many steps a rendering has, and how long each takes. Default: none. */
  steps?: number;
  stepMs?: number;
}

/**
 * A renderer that needs no CPU: a real child process that reads the timeline and writes the files. Its video is JSON with the
 * facts and the number of events. A task that contains `poison` makes the child end without files, and `hold` makes it wait until
 * it is killed.
 */
export function createSmallRenderer(options: SmallRendererOptions = {}): Renderer {
  return async (job, { signal }) => {
    signal.throwIfAborted();
    const child = fork(program, { execArgv: [] });
    const kill = () => child.kill("SIGKILL");
    signal.addEventListener("abort", kill, { once: true });
    try {
      const exited = once(child, "exit");
      const written = new Promise<Rendered>((resolve) => {
        child.once("message", (files: Rendered) => {
          child.disconnect();
          resolve(files);
        });
      });
      child.send({ ...job, ...options });
      const first = await Promise.race([written, exited.then(() => undefined)]);
      await exited;
      signal.throwIfAborted();
      if (first === undefined) throw new Error("The child process ended without a video.");
      return first;
    } finally {
      signal.removeEventListener("abort", kill);
    }
  };
}

import { readdir, readFile } from "node:fs/promises";

/** CPU time of a process's threads so far, in milliseconds. Linux counts it in nanoseconds here, in `stat` in hundredths of a second. */
export async function cpuTimeMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/schedstat`, "utf8")));
  return times.reduce((sum, text) => sum + Number(text.split(" ", 1)[0]), 0) / 1e6;
}

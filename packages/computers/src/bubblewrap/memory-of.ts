import { readdir, readFile } from "node:fs/promises";

/** The memory of a process and of all that descend from it, in bytes: without files that are mapped, which the kernel can drop. */
export async function memoryOf(pid: number | undefined): Promise<number> {
  let kib = 0;
  const waiting = pid === undefined ? [] : [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = `/proc/${next}`;
    const threads = await readdir(`${folder}/task`).catch(() => []);
    const [status = "", ...children] = await Promise.all([
      contentOf(`${folder}/status`),
      // Any thread may have started some.
      ...threads.map((thread) => contentOf(`${folder}/task/${thread}/children`)),
    ]);
    for (const match of status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB$/gm)) kib += Number(match[1]);
    waiting.push(...children.join(" ").split(" ").filter(Boolean).map(Number));
  }
  return kib * 1024;
}

/** Empty if the process has ended. */
function contentOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

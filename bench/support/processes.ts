import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Starts a script and waits until it has printed its port. */
export async function startHelper(
  script: URL,
  args: string[] = [],
): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  return { port: Number(line), pid: pidOf(child), stop: () => stopProcess(child) };
}

export function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error("The process did not start");
  return child.pid;
}

/** Ends a process, and kills it after ten seconds. */
export async function stopProcess(
  child: ChildProcess,
  signal: "SIGTERM" | "SIGKILL" = "SIGTERM",
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  const deadline = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await exited;
  clearTimeout(deadline);
}

// Linux counts CPU time in hundredths of a second on every machine.
const msPerTick = 10;

/** CPU time of a process and all its threads so far, in milliseconds. */
export async function readCpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The second field is the command in parentheses and may contain spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** Resident memory of a process in bytes. */
export async function readMemoryBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

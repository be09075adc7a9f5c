import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Linux counts in hundredths of a second, whatever its kernel does. */
const tickMs = 10;
const secondsOf = [1, 60, 3_600, 86_400];

/**
 * The processor time that another process has had so far, with all its threads, in milliseconds. Undefined if the system
 * does not say it, or the process has ended.
 */
export async function processCpuMs(pid: number): Promise<number | undefined> {
  try {
    return process.platform === "linux" ? await fromKernel(pid) : await fromProgram(pid);
  } catch {
    return undefined;
  }
}

async function fromKernel(pid: number): Promise<number> {
  // The name of the program precedes it, in brackets, and may contain anything.
  const [, fields = ""] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(/\) (?!.*\) )/s);
  const [, , , , , , , , , , , user, system] = fields.split(" ").map(Number);
  return ((user ?? 0) + (system ?? 0)) * tickMs;
}

/** POSIX: `[[days-]hours:]minutes:seconds`. */
async function fromProgram(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "time=", "-p", String(pid)]);
  const parts = stdout.trim().split(/[-:]/).map(Number).reverse();
  return parts.reduce((sum, part, index) => sum + part * (secondsOf[index] ?? 0), 0) * 1_000;
}

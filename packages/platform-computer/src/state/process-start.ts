import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * When a process started, as a text that no other process with this number has; undefined if there is no such process. A
 * process number alone is used again.
 */
export function processStartOf(pid: number): string | undefined {
  try {
    return process.platform === "linux" ? startOnLinux(pid) : startElsewhere(pid);
  } catch {
    return undefined;
  }
}

function startOnLinux(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name before it may contain blanks and brackets.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields[18];
  if (state === "Z" || ticks === undefined) return undefined;
  return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${ticks}`;
}

function startElsewhere(pid: number): string | undefined {
  const options = { encoding: "utf8", env: { PATH: "/bin:/usr/bin", LC_ALL: "C" } } as const;
  return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], options).trim() || undefined;
}

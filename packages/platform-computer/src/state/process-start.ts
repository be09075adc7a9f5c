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
  const status = readProcessStatus(pid);
  if (status === undefined || status.isDead) return undefined;
  return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${status.startTicks}`;
}

/** A process of Linux; undefined if it does not exist. */
export function readProcessStatus(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it may contain blanks and brackets.
    const [state = "", , group, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { isDead: /[ZX]/.test(state), group: Number(group), startTicks: fields[16] };
  } catch {
    return undefined;
  }
}

function startElsewhere(pid: number): string | undefined {
  const options = { encoding: "utf8", env: { PATH: "/bin:/usr/bin", LC_ALL: "C" } } as const;
  return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], options).trim() || undefined;
}

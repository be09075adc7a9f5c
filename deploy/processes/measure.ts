// Prints how long each process takes to serve, how much memory it uses and what a turn costs it (on Linux):
//   node deploy/processes/measure.ts
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readExample } from "@muster/local/testing/example";
import { say, TestClient } from "./test/support/replies.ts";
import { type Served, startTopology } from "./test/support/topology.ts";

const sessionCount = 50;
const turnsPerSession = 10;
const turns = sessionCount * turnsPerSession;

const topology = await startTopology({ DEMO_WORD_DELAY_MS: "0" });
try {
  const client = new TestClient(topology.gateways.toBoth.address, topology.adminKey);
  const example = await readExample("support-chat");
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", example);
  const idle = topology.all.map(residentMb);
  await runTurns(client, agentId);
  const before = topology.all.map(cpuMs);
  const startedAtMs = performance.now();
  await runTurns(client, agentId);
  const wallMs = performance.now() - startedAtMs;
  const cpu = topology.all.map((served, index) => cpuMs(served) - (before[index] ?? 0));
  const used = topology.all.map(residentMb);
  console.log("process         serves after ms   MB idle   MB after the turns   CPU ms per turn");
  for (const [index, { process, startMs }] of topology.all.entries()) {
    const numbers = [String(Math.round(startMs)).padStart(15), pad(idle[index], 9), pad(used[index], 20)];
    numbers.push(((cpu[index] ?? 0) / turns).toFixed(2).padStart(17));
    console.log(process.name.padEnd(16) + numbers.join(" "));
  }
  const total = cpu.reduce((sum, ms) => sum + ms, 0);
  console.log(
    `all together: ${(total / turns).toFixed(2)} ms of CPU per turn, ${Math.round((turns / wallMs) * 1_000)} turns/s`,
  );
  console.log(
    `${sessionCount} sessions of ${turnsPerSession} turns, all at once, through the last gateway, after as many to warm up;`,
  );
  console.log("the processes of one kind start at the same time.");
} finally {
  await topology.destroy();
}

async function runTurns(client: TestClient, agentId: string): Promise<void> {
  const converse = async () => {
    const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
    for (let turn = 0; turn < turnsPerSession; turn++) await client.trigger(sessionId, say("Hello there"));
  };
  await Promise.all(Array.from({ length: sessionCount }, converse));
}

function residentMb({ process }: Served): number {
  const kilobytes = execFileSync("ps", ["-o", "rss=", "-p", String(process.pid)], { encoding: "utf8" });
  return Math.round(Number(kilobytes) / 1024);
}

/** User and system time so far, of all threads. */
function cpuMs({ process }: Served): number {
  // The name of the program, in parentheses, may contain spaces. Ticks are 10 ms.
  const [, fields = ""] = readFileSync(`/proc/${process.pid}/stat`, "utf8").split(") ");
  const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
  return (user + system) * 10;
}

function pad(value: number | undefined, width: number): string {
  return String(value).padStart(width);
}

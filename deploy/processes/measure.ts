// Prints how long each process takes to serve and how much memory it uses: node deploy/processes/measure.ts
import { execFileSync } from "node:child_process";
import { readExample } from "@muster/local/testing/example";
import { say, TestClient } from "./src/testing.ts";
import { type Served, startTopology } from "./src/topology.ts";

const sessionCount = 50;
const turnsPerSession = 10;

const topology = await startTopology({ DEMO_WORD_DELAY_MS: "0" });
try {
  const idle = topology.all.map(residentMb);
  await runTurns();
  const used = topology.all.map(residentMb);
  console.log("process         serves after ms   MB idle   MB after the turns");
  for (const [index, { process, startMs }] of topology.all.entries()) {
    const numbers = [String(Math.round(startMs)).padStart(15), pad(idle[index], 9), pad(used[index], 20)];
    console.log(process.name.padEnd(16) + numbers.join(" "));
  }
  console.log(`${sessionCount} sessions of ${turnsPerSession} turns, all at once, through the last gateway;`);
  console.log("the processes of one kind start at the same time.");
} finally {
  await topology.destroy();
}

async function runTurns(): Promise<void> {
  const client = new TestClient(topology.gateways.toBoth.address, topology.adminKey);
  const example = await readExample("support-chat");
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", example);
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

function pad(value: number | undefined, width: number): string {
  return String(value).padStart(width);
}

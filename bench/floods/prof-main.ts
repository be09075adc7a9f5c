import { parseArgs } from "node:util";
import type { FloodGroup } from "./flood.ts";
import { floods } from "./floods.ts";
import { startProvider } from "./provider.ts";
import { startWatchedServer } from "./server.ts";

/** Nothing that comes from outside may hold a service's main loop for longer. */
const targetMs = 50;

const usage = `npm run bench:floods -- [--rounds 3] [--only ${Object.keys(floods).join(",")}]
  --rounds  how often each flood is sent to a fresh server; the least disturbed round counts`;

interface Result {
  name: string;
  heldMs: number[];
  tookMs: number[];
  failure?: string;
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: "string", default: "3" }, only: { type: "string" } },
  });
  const rounds = Number(values.rounds);
  const names = values.only?.split(",") ?? Object.keys(floods);
  const groups = names.flatMap((name) => floods[name] ?? []);
  if (!Number.isInteger(rounds) || rounds < 1 || groups.length < names.length) throw new Error(usage);
  let isMissed = false;
  for (const group of groups) {
    const results = new Map<string, Result>();
    for (let round = 0; round < rounds; round++) await measureRound(group, results);
    for (const { name, heldMs, tookMs, failure } of results.values()) {
      const held = Math.min(...heldMs);
      const verdict = failure ?? (held > targetMs ? "FAIL" : "pass");
      console.log(line(name, held.toFixed(1), Math.min(...tookMs).toFixed(0), verdict));
      isMissed ||= verdict !== "pass";
    }
  }
  if (isMissed) process.exitCode = 1;
}

async function measureRound(group: FloodGroup, results: Map<string, Result>): Promise<void> {
  const provider = await startProvider();
  try {
    const server = await startWatchedServer(provider.url, { module: "file:///tmp/loopprof/monitor.ts" });
    try {
      for await (const { name, send } of group(server)) {
        const result = results.get(name) ?? { name, heldMs: [], tookMs: [] };
        results.set(name, result);
        await server.measured();
        const startMs = performance.now();
        await send().catch((error: Error) => {
          result.failure = `FAIL: ${error.message}`;
        });
        result.tookMs.push(performance.now() - startMs);
        result.heldMs.push(await server.measured());
      }
    } finally {
      await server.stop();
    }
  } finally {
    await provider.stop();
  }
}

function line(name: string, held: string, took: string, verdict: string): string {
  return `${name.padEnd(46)} ${held.padStart(12)} ${took.padStart(10)}  ${verdict}`;
}

console.log(line("flood", "longest hold", "response", ""));
console.log(line("", "ms", "ms", ""));
await main(process.argv.slice(2));

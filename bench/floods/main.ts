import { parseArgs } from "node:util";
import { floods } from "./floods.ts";
import { startProvider } from "./provider.ts";
import { startWatchedServer } from "./server.ts";

/** Nothing that comes from outside may hold a service's main loop for longer. */
const targetMs = 50;

const usage = `npm run bench:floods -- [--rounds 3]
  --rounds  how often each flood is sent to a fresh server; the least disturbed round counts`;

interface Result {
  name: string;
  heldMs: number[];
  tookMs: number[];
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { rounds: { type: "string", default: "3" } } });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(usage);
  const results = new Map<string, Result>();
  for (let round = 0; round < rounds; round++) await measureRound(results);
  const rows = [...results.values()].map(({ name, heldMs, tookMs }) => ({
    name,
    held: Math.min(...heldMs),
    took: Math.min(...tookMs),
  }));
  for (const { name, held, took } of rows)
    console.log(line(name, held.toFixed(1), took.toFixed(0), verdict(held)));
  if (rows.some(({ held }) => held > targetMs)) process.exitCode = 1;
}

async function measureRound(results: Map<string, Result>): Promise<void> {
  const provider = await startProvider();
  try {
    const server = await startWatchedServer(provider.url);
    try {
      for await (const { name, status, send } of floods(server.api)) {
        await server.measured();
        const startMs = performance.now();
        const reply = await send();
        const tookMs = performance.now() - startMs;
        const heldMs = await server.measured();
        if (reply.status !== status || reply.text.includes('"type":"error"')) {
          throw new Error(`${name}: ${reply.status} instead of ${status}: ${reply.text.slice(0, 500)}`);
        }
        const result = results.get(name) ?? { name, heldMs: [], tookMs: [] };
        results.set(name, { name, heldMs: [...result.heldMs, heldMs], tookMs: [...result.tookMs, tookMs] });
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

function verdict(heldMs: number): string {
  return heldMs <= targetMs ? "pass" : "FAIL";
}

console.log(line("flood", "longest hold", "response", ""));
console.log(line("", "ms", "ms", ""));
await main(process.argv.slice(2));

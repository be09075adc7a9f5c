import { parseArgs } from "node:util";
import { Agent, request } from "undici";
import { type Server, startServer } from "./server.ts";

/** What a warm credential may cost a request, in milliseconds. */
const maxAddedMs = 0.15;
const minMintsPerS = 200;
/** What wrong credentials may leave behind, in MiB: twenty times the entries of the cache of refusals. */
const maxGrowthMib = 8;

const usage = `npm run bench:auth -- [--quick]
  --quick  fewer rounds and fewer wrong credentials`;

interface Row {
  name: string;
  value: string;
  target: string;
  isReached: boolean;
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { quick: { type: "boolean", default: false } } });
  const rounds = values.quick ? 7 : 31;
  const wrongOnes = values.quick ? 20_000 : 100_000;
  const server = await startServer();
  try {
    const rows = [
      await measureAdded(server, rounds),
      await measureMints(server, rounds * 50),
      await measureGrowth(server, wrongOnes),
    ];
    for (const { name, value, target, isReached } of rows)
      console.log(`${name.padEnd(62)} ${value.padStart(14)}   ${target} ${isReached ? "reached" : "MISSED"}`);
    if (rows.some(({ isReached }) => !isReached)) process.exitCode = 1;
  } finally {
    await server.stop();
  }
}

/**
 * Both requests ask no service, so they differ by the check of the credential, and by the response, which is longer for the
 * authenticated one. They take turns in every round; the least disturbed round of each counts, by the clock.
 */
async function measureAdded(server: Server, rounds: number): Promise<Row> {
  const connection = new Agent({ connections: 1, pipelining: 1 });
  const open = blockOf(server, connection, "/healthz", undefined);
  const authenticated = blockOf(server, connection, "/api/credential", server.key);
  const opens: Cost[] = [];
  const authenticateds: Cost[] = [];
  for (let round = -3; round < rounds; round++) {
    const costs = [await open(), await authenticated()] as const;
    // The first rounds warm both up.
    if (round < 0) continue;
    opens.push(costs[0]);
    authenticateds.push(costs[1]);
  }
  await connection.close();
  const added = (name: keyof Cost) => least(authenticateds, name) - least(opens, name);
  const both = `${least(authenticateds, "wallMs").toFixed(3)} - ${least(opens, "wallMs").toFixed(3)}`;
  return {
    name: "time added by a warm credential (authenticated - open request)",
    value: `${added("wallMs").toFixed(3)} ms`,
    target: `at most ${maxAddedMs} ms (${both}; CPU of the server ${added("cpuMs").toFixed(3)} ms)`,
    isReached: added("wallMs") <= maxAddedMs,
  };
}

interface Cost {
  wallMs: number;
  cpuMs: number;
}

function least(costs: readonly Cost[], name: keyof Cost): number {
  return Math.min(...costs.map((cost) => cost[name]));
}

const perBlock = 300;

/** The cost of one request, averaged over a block of requests that are sent one after another. */
function blockOf(server: Server, dispatcher: Agent, path: string, key: string | undefined) {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return async (): Promise<Cost> => {
    const { cpuMs } = await server.usage();
    const startMs = performance.now();
    for (let n = 0; n < perBlock; n++) {
      const { statusCode, body } = await request(server.url + path, { dispatcher, headers });
      await body.arrayBuffer();
      if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode}`);
    }
    const wallMs = (performance.now() - startMs) / perBlock;
    return { wallMs, cpuMs: ((await server.usage()).cpuMs - cpuMs) / perBlock };
  };
}

const minters = 16;

async function measureMints(server: Server, count: number): Promise<Row> {
  const agentId = await createAgent(server);
  const dispatcher = new Agent({ connections: minters });
  const mint = () => post(server, dispatcher, "/api/tokens", { agentId }, 201);
  for (let n = 0; n < minters * 4; n++) await mint();
  const each = Math.ceil(count / minters);
  const before = await server.usage();
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: minters }, async () => {
      for (let n = 0; n < each; n++) await mint();
    }),
  );
  const perS = ((each * minters) / (performance.now() - startMs)) * 1_000;
  const cpuMs = ((await server.usage()).cpuMs - before.cpuMs) / (each * minters);
  await dispatcher.close();
  return {
    name: `tokens minted by ${minters} clients`,
    value: `${perS.toFixed(0)}/s`,
    target: `at least ${minMintsPerS}/s (${cpuMs.toFixed(2)} ms of CPU each, all threads)`,
    isReached: perS >= minMintsPerS,
  };
}

async function measureGrowth(server: Server, count: number): Promise<Row> {
  const dispatcher = new Agent({ connections: minters });
  const send = async (first: number, last: number) => {
    let next = first;
    const worker = async () => {
      while (next < last) {
        const key = `svc_sk_${String(next++).padStart(32, "0")}`;
        const { statusCode, body } = await request(`${server.url}/api/credential`, {
          dispatcher,
          headers: { authorization: `Bearer ${key}` },
        });
        await body.arrayBuffer();
        if (statusCode !== 401) throw new Error(`a wrong key got ${statusCode}`);
      }
    };
    await Promise.all(Array.from({ length: minters }, worker));
  };
  // Fills the caches.
  await send(0, count / 10);
  const before = await server.usage();
  await send(count / 10, count + count / 10);
  const after = await server.usage();
  await dispatcher.close();
  const growthMib = (after.heapBytes - before.heapBytes) / 1024 / 1024;
  return {
    name: `heap after ${count.toLocaleString("en")} more distinct wrong keys`,
    value: `${growthMib >= 0 ? "+" : ""}${growthMib.toFixed(1)} MiB`,
    target: `at most ${maxGrowthMib} MiB (${(after.heapBytes / 1024 / 1024).toFixed(0)} MiB in all)`,
    isReached: growthMib <= maxGrowthMib,
  };
}

async function createAgent(server: Server): Promise<string> {
  const protocol = [
    "triggers: { go: {} }",
    "agent: { model: demo/echo, system: system }",
    "handlers: { go: { Answer: { block: next-message } } }",
  ].join("\n");
  const settings = { slug: "bench", name: "Bench", format: "interactive" };
  const body = { settings, protocol, prompts: [{ name: "system", content: "Answer." }] };
  const { agentId } = await post(server, undefined, "/api/agents", body, 201);
  return String(agentId);
}

async function post(
  { url, key }: Server,
  dispatcher: Agent | undefined,
  path: string,
  json: unknown,
  expected: number,
): Promise<Record<string, unknown>> {
  const { statusCode, body } = await request(url + path, {
    ...(dispatcher === undefined ? {} : { dispatcher }),
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(json),
  });
  const text = await body.text();
  if (statusCode !== expected) throw new Error(`POST ${path}: ${statusCode} ${text}`);
  const parsed: unknown = JSON.parse(text);
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error, `\n${usage}`);
  process.exitCode = 1;
});

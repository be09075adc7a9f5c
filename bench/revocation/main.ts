import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { request } from "undici";
import { percentile } from "../stream/statistics.ts";
import { type Instances, startInstances } from "./instances.ts";

const instanceCount = 4;
const pollEveryMs = 5;
/** With events. */
const maxP99Ms = 250;
/** On an instance without events. */
const maxMs = 5_000;

const usage = `npm run bench:revocation -- [--quick]
  --quick  fewer tokens`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { quick: { type: "boolean", default: false } } });
  const instances = await startInstances(instanceCount);
  try {
    const agentId = await createAgent(instances);
    const withEvents: number[] = [];
    for (let i = 0; i < (values.quick ? 30 : 200); i++) {
      withEvents.push(...(await measure(instances, instances.urls, agentId)));
    }
    instances.cutOff();
    const without: number[] = [];
    for (let i = 0; i < (values.quick ? 3 : 12); i++) {
      without.push(...(await measure(instances, instances.urls.slice(-1), agentId)));
    }
    const p99 = percentile(withEvents, 0.99);
    const longest = Math.max(...without);
    report(`refused after the revocation, ${instanceCount} instances, p50`, percentile(withEvents, 0.5));
    report("p99", p99, maxP99Ms);
    report("longest", Math.max(...withEvents), maxMs);
    report("refused by an instance that is cut off from NATS, longest", longest, maxMs);
  } finally {
    await instances.stop();
  }
}

/** Revokes a token that every instance has just accepted: how long each one still accepts it after the response. */
async function measure({ urls, key }: Instances, watched: readonly string[], agentId: string) {
  const [first = ""] = urls;
  const { token } = await post(first, "/api/tokens", key, { agentId });
  for (const url of watched) if (!(await isAccepted(url, token))) throw new Error("A new token was refused");
  const refusals = watched.map((url) => untilRefused(url, token));
  await sleep(2 * pollEveryMs);
  await post(first, "/api/tokens/revoke", key, { token });
  const revokedMs = performance.now();
  return (await Promise.all(refusals)).map((refusedMs) => Math.max(0, refusedMs - revokedMs));
}

async function untilRefused(url: string, token: string): Promise<number> {
  while (await isAccepted(url, token)) await sleep(pollEveryMs);
  return performance.now();
}

/** A session that does not exist is 404 for a valid token. */
async function isAccepted(url: string, token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  const { statusCode, body } = await request(`${url}/api/agent-sessions/ses_none`, { headers });
  await body.dump();
  if (statusCode !== 404 && statusCode !== 401) throw new Error(`Unexpected status ${statusCode}`);
  return statusCode === 404;
}

async function createAgent({ urls: [url = ""], key }: Instances): Promise<string> {
  const folder = new URL("../../examples/support-chat/", import.meta.url);
  const text = (name: string) => readFile(new URL(name, folder), "utf8");
  const { agentId } = await post(url, "/api/agents", key, {
    settings: { slug: "bench", name: "Bench", format: "interactive" },
    protocol: await text("protocol.yaml"),
    prompts: await Promise.all(
      ["system", "customer-message"].map(async (name) => ({
        name,
        content: await text(`prompts/${name}.md`),
      })),
    ),
  });
  return agentId;
}

async function post(
  url: string,
  path: string,
  key: string,
  body: object,
): Promise<{ agentId: string; token: string }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await request(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${text}`);
  return JSON.parse(text);
}

function report(name: string, ms: number, target?: number): void {
  const isReached = target === undefined || ms < target;
  const verdict = target === undefined ? "" : `   under ${target} ms: ${isReached ? "reached" : "MISSED"}`;
  console.log(`${name.padEnd(60)} ${ms.toFixed(0).padStart(6)} ms${verdict}`);
  if (!isReached) process.exitCode = 1;
}

if (process.argv.includes("--help")) console.log(usage);
else await main(process.argv.slice(2));

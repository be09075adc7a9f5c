import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runLoad } from "./load.ts";
import { type MusterOptions, startMuster } from "./muster.ts";
import { startHelper } from "./processes.ts";
import { type Pace, rawPost, type Target, type TargetName } from "./target.ts";

export interface TargetOptions extends Omit<MusterOptions, "providerPort"> {
  providerPort: number;
  providerPid: number;
}

/** Starts a fresh server of one kind. */
export async function startTarget(name: TargetName, options: TargetOptions): Promise<Target> {
  if (name === "muster" || name === "triggered") return startMuster(name, options);
  if (name === "unlogged") return startMuster(name, { ...options, env: { EXECUTION_LOG: "off" } });
  if (name === "bare") return startBare(options.providerPort);
  const common = {
    name,
    // Both pass the provider's own bytes on.
    deltaMarker: '"content":"',
    endMarker: "data: [DONE]",
    prepare: async (pace: Pace) => [providerRequest(pace)],
  };
  if (name === "direct") {
    const { providerPort: port, providerPid: pid } = options;
    return { ...common, port, pid, coldStartMs: 0, stop: async () => {} };
  }
  const startMs = performance.now();
  const proxy = await startHelper(new URL("./proxy.ts", import.meta.url), [String(options.providerPort)]);
  const probe = await runProbe(proxy.port);
  return { ...common, ...proxy, coldStartMs: probe - startMs };
}

/** The AI SDK behind `node:http`, with its conversations in a database of its own. */
async function startBare(providerPort: number): Promise<Target> {
  const directory = await mkdtemp(join(tmpdir(), "muster-bench-"));
  const startMs = performance.now();
  const server = await startHelper(new URL("./bare-server.ts", import.meta.url), [
    String(providerPort),
    join(directory, "bare.sqlite"),
  ]);
  const coldStartMs = (await runProbe(server.port)) - startMs;
  let sessions = 0;
  return {
    ...server,
    name: "bare",
    coldStartMs,
    deltaMarker: '"type":"text-delta"',
    endMarker: "data: [DONE]",
    prepare: async (model, count) =>
      Array.from({ length: count }, () =>
        rawPost("/", {}, JSON.stringify({ session: `session-${++sessions}`, model, message: "Hello" })),
      ),
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Waits for the first response of a server that already listens; returns its time of arrival. */
async function runProbe(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/`);
  await response.arrayBuffer();
  return performance.now();
}

function providerRequest(model: Pace): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], stream: true });
  return rawPost("/v1/chat/completions", {}, body);
}

/** Checks one stream closely: the figures mean nothing if responses are incomplete. */
export async function verify(target: Target, expectedDeltas: number): Promise<void> {
  const requests = await target.prepare("bench", 2);
  const { deltas, failed, example } = await runLoad({
    ...loadOf(target),
    requests,
    count: 2,
    concurrency: 1,
    spreadMs: 0,
    countDeltas: true,
  });
  if (failed > 0) throw new Error(`${target.name} does not respond properly: ${example}`);
  if (deltas !== expectedDeltas * 2)
    throw new Error(`${target.name} sent ${deltas} deltas in two streams, not ${expectedDeltas * 2}`);
}

export function loadOf({ port, deltaMarker, endMarker }: Target) {
  return { port, deltaMarker, endMarker };
}

// Compares the ways to make the same calls, interleaved in one run; prints a table of ratios.
// node packages/rpc/bench/bench.ts [seconds per measurement]
import { once } from "node:events";
import { createServer } from "node:http2";
import { type Client, createClient, type ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter, createGrpcTransport } from "@connectrpc/connect-node";
import { EchoService } from "@muster/proto/testing";
import { Secret, silentLogger, systemClock } from "@muster/service";
import { createRpcServer, createRpcTransport } from "../src/grpc.ts";
import {
  callOptions,
  createInProcessTransport,
  createPrincipalSigner,
  createPrincipalVerifier,
  createRpcClient,
  mountService,
} from "../src/index.ts";

const seconds = Number(process.argv[2] ?? 1);
const rounds = 3;
const messagesPerStream = 64;
const text = "x".repeat(120);

const impl: ServiceImpl<typeof EchoService> = {
  echo: (request) => ({ text: request.text, server: "a" }),
  append: () => ({}),
  async *count({ to }) {
    for (let number = 1; number <= to; number++) yield { number, text };
  },
};
const secrets = [new Secret("only for this benchmark")];
const handling = { verifier: createPrincipalVerifier(secrets, systemClock), log: silentLogger };
const mounted = mountService(EchoService, impl);
const principal = createPrincipalSigner(secrets, systemClock).sign({
  projectId: "prj_1",
  keyId: "key_1",
  permissions: new Set(["sessions"]),
  anyProject: false,
});

interface Way {
  name: string;
  client: Client<typeof EchoService>;
  close(): Promise<void>;
}

async function grpcJs(): Promise<Way> {
  const server = createRpcServer({
    services: [mounted],
    ...handling,
    host: "127.0.0.1",
    port: 0,
    drainMs: 0,
  });
  const { address } = await server.start();
  const transport = createRpcTransport({ addresses: [address], services: [EchoService] });
  return {
    name: "grpc-js (ours)",
    client: createRpcClient(EchoService, transport),
    async close() {
      transport.close();
      await server.stop();
    },
  };
}

async function connectNode(): Promise<Way> {
  const server = createServer(connectNodeAdapter({ routes: (router) => router.service(EchoService, impl) }));
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${address.port}` });
  return {
    name: "connect-node",
    client: createClient(EchoService, transport),
    async close() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

function inProcess(): Way {
  const transport = createInProcessTransport([mounted], handling);
  return { name: "in process", client: createRpcClient(EchoService, transport), close: async () => {} };
}

interface Load {
  name: string;
  callers: number;
  /** How many operations a call counts as. */
  perCall: number;
  call(client: Way["client"]): Promise<void>;
}

const options = () => callOptions({ principal, requestId: "req_01", timeoutMs: 60_000 });
const loads: Load[] = [
  { name: "unary, 1 caller", callers: 1, perCall: 1, call: unary },
  { name: "unary, 32 callers", callers: 32, perCall: 1, call: unary },
  { name: "64-message streams, 1 caller (messages)", callers: 1, perCall: messagesPerStream, call: stream },
  {
    name: "64-message streams, 32 callers (messages)",
    callers: 32,
    perCall: messagesPerStream,
    call: stream,
  },
];

async function unary(client: Way["client"]): Promise<void> {
  await client.echo({ text }, options());
}

async function stream(client: Way["client"]): Promise<void> {
  let seen = 0;
  for await (const _message of client.count({ to: messagesPerStream }, options())) seen++;
  if (seen !== messagesPerStream) throw new Error(`${seen} messages`);
}

interface Measured {
  perSecond: number;
  cpuMicroseconds: number;
}

async function measure(way: Way, load: Load, forMs: number): Promise<Measured> {
  let calls = 0;
  const until = performance.now() + forMs;
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  const caller = async () => {
    while (performance.now() < until) {
      await load.call(way.client);
      calls++;
      // Without this, in-process calls would never let anything else run.
      if (calls % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: load.callers }, caller));
  const tookMs = performance.now() - before;
  const cpu = process.cpuUsage(cpuBefore);
  const things = calls * load.perCall;
  return { perSecond: (things / tookMs) * 1000, cpuMicroseconds: (cpu.user + cpu.system) / things };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const ways = [await connectNode(), await grpcJs(), inProcess()];
for (const load of loads) {
  for (const way of ways) await measure(way, load, 300);
  const results = new Map<Way, Measured[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    for (const way of ways) results.get(way)?.push(await measure(way, load, (seconds * 1000) / rounds));
  }
  const rows = ways.map((way) => {
    const measured = results.get(way) ?? [];
    return {
      way: way.name,
      perSecond: median(measured.map(({ perSecond }) => perSecond)),
      cpu: median(measured.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    };
  });
  const base = rows[0]?.perSecond ?? Number.NaN;
  console.log(`\n${load.name}`);
  console.table(
    rows.map(({ way, perSecond, cpu }) => ({
      way,
      "per second": Math.round(perSecond),
      "ratio to connect-node": Number((perSecond / base).toFixed(2)),
      "CPU, both sides (µs)": Number(cpu.toFixed(2)),
    })),
  );
}
for (const way of ways) await way.close();

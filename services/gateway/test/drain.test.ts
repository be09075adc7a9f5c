import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { freePort, StreamReader, until } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { type Edge, startEdge } from "./support/start-edge.ts";

const event = (sequence: number, type: string) => ({ sequence, type, json: JSON.stringify({ type }) });

/** A gateway that drains for longer than the test takes, with streams and reads in progress until they are released. */
async function startDraining(t: TestContext, port: number) {
  const [stream, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.onTestFinished(() => [stream, read].forEach(({ resolve }) => void resolve()));
  let reads = 0;
  const edge = await startEdge(
    t,
    {
      trigger: async function* () {
        yield { events: [event(1, "start")] };
        await stream.promise;
        yield { events: [event(2, "finish")] };
      },
      listSessions: async () => {
        reads++;
        await read.promise;
        return { sessions: [] };
      },
    },
    { port, drainMs: 120_000 },
  );
  return { edge, endStream: stream.resolve, endReads: read.resolve, reads: () => reads };
}

/** Sends requests over one connection, as a proxy or a browser does. */
function keepAlive(t: TestContext, { url, adminKey }: Edge) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.onTestFinished(() => agent.destroy());
  return async (path: string) => {
    const sent = request(url + path, { agent, headers: { authorization: `Bearer ${adminKey}` } }).end();
    const [response]: IncomingMessage[] = await once(sent, "response");
    assert.ok(response);
    await text(response);
    const { connection } = response.headers;
    return { status: response.statusCode, connection };
  };
}

/** The fate of new connections: several, since the system spreads them over the listening sockets. */
async function connectSeveral({ url }: Edge): Promise<Set<string>> {
  const outcome = async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const [error] = await Promise.race([once(socket, "connect"), once(socket, "error")]).catch((e) => [e]);
    socket.destroy();
    return String(error?.code ?? "connected");
  };
  return new Set(await Promise.all(Array.from({ length: 64 }, outcome)));
}

describe.each([
  ["a port of its own", freePort],
  ["a port that the system chooses", async () => 0],
])("a gateway that drains, on %s", (_, portOf) => {
  test("refuses new connections and ends idle ones, so that a proxy chooses another gateway, and allows requests in progress to end", async (t) => {
    const { edge, endStream, endReads, reads } = await startDraining(t, await portOf());
    const idle = connect(Number(new URL(edge.url).port), "127.0.0.1");
    t.onTestFinished(() => void idle.destroy());
    idle.write("GET /healthz HTTP/1.1\r\nHost: muster\r\n\r\n");
    const [answered] = await once(idle, "data");
    assert.match(String(answered), /^HTTP\/1\.1 200 /);
    const streamed = new StreamReader(
      await fetch(`${edge.url}/api/agent-sessions/ses_1/trigger`, {
        method: "POST",
        headers: { authorization: `Bearer ${edge.adminKey}`, "content-type": "application/json" },
        body: '{"triggerName":"go"}',
      }),
    );
    await streamed.readUntil('"start"');
    const paths = ["/api/agents", "/readyz", "/readyz?scope=self", "/healthz"];
    const inUse = paths.map(() => keepAlive(t, edge));
    const inProgress = inUse.map((ask) => ask("/api/agent-sessions"));
    await until("the requests are in progress", () => reads() === paths.length);
    assert.deepEqual(await connectSeveral(edge), new Set(["connected"]));

    const stopped = edge.stop();
    await once(idle, "close");
    assert.deepEqual(await connectSeveral(edge), new Set(["ECONNREFUSED"]));
    const next = inUse.map((ask, index) => ask(paths[index] ?? ""));
    endReads();
    assert.deepEqual(
      (await Promise.all(inProgress)).map(({ status }) => status),
      paths.map(() => 200),
    );
    assert.deepEqual(
      (await Promise.all(next)).map(({ status, connection }) => [status, connection]),
      [503, 503, 503, 200].map((status) => [status, "close"]),
    );
    endStream();
    assert.match(await streamed.readUntil("[DONE]"), /"start"[\s\S]*"finish"[\s\S]*\[DONE\]\n\n$/);
    await stopped;
  });
});

import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { until } from "@muster/testing";
import Fastify from "fastify";
import { describe, type TestContext, test } from "vitest";
import { type Edge, makeKey, startEdge } from "../../../test/support/start-edge.ts";
import type { App } from "../http/app.ts";
import { respondWithError } from "../http/respond-with-error.ts";
import { ByteBudget } from "../limits/byte-budget.ts";
import { limitLargeBodies, useJsonBodiesOnly } from "./request-bodies.ts";

const large = 3 * 1024 * 1024;

/** Sends the headers and some of the body, and no more. */
function beginBody(
  t: TestContext,
  edge: Edge,
  { key = edge.adminKey, header, begin }: { key?: string | undefined; header: string; begin: string },
) {
  const socket = connect(Number(new URL(edge.url).port), "127.0.0.1");
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  socket.on("error", () => undefined);
  socket.write(
    `POST /api/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\n${header}\r\n\r\n${begin}`,
  );
  t.onTestFinished(() => void socket.destroy());
  return { socket, answer: () => answer };
}

async function otherProject(edge: Edge): Promise<string> {
  const { json: project } = await edge.call("POST", "/api/admin/projects", { body: { name: "Other" } });
  return project.id;
}

describe("large bodies", () => {
  test("a project's large bodies that stay incomplete are bounded together; other requests are served, and the bound recovers", async (t) => {
    const edge = await startEdge(t, { trigger: async function* () {} });
    const { key: other } = await makeKey(edge, {
      permissions: ["agents"],
      projectId: await otherProject(edge),
    });
    const begin = (count: number, key?: string) =>
      Array.from({ length: count }, () =>
        beginBody(t, edge, { key, header: `Content-Length: ${large}`, begin: "{" }),
      );
    const isAnswered = ({ answer }: { answer(): string }) => answer() !== "";
    const slow = begin(26);
    await until("five of one key are refused", () => slow.filter(isAnswered).length === 5);
    const { key: second } = await makeKey(edge, { permissions: ["agents"] });
    const further = begin(26, second);
    await until("five of another key are refused", () => further.filter(isAnswered).length === 5);
    slow.push(...further);
    for (const { answer } of slow) assert.match(answer(), /^$|^HTTP\/1.1 503 [\s\S]*retry-after: 1/i);
    assert.equal((await edge.call("GET", "/api/agents")).status, 200);
    const send = (key = edge.adminKey) =>
      edge.call("POST", "/api/agents/validate", { key, body: { protocol: "x".repeat(large) } });
    assert.equal((await send()).status, 503);
    assert.notEqual((await send(other)).status, 503);
    for (const { socket } of slow) socket.destroy();
    await until("large requests are read again", async () => (await send()).status !== 503);
  });

  test("bodies of unknown length take room as they arrive, and those that find none are refused", async (t) => {
    const edge = await startEdge(t, { trigger: async function* () {} });
    const slow = Array.from({ length: 70 }, () =>
      beginBody(t, edge, { header: "Transfer-Encoding: chunked", begin: "1\r\n{\r\n" }),
    );
    const list = await edge.call("GET", "/api/agents");
    assert.equal(list.status, 200);
    const text = "x".repeat(700 * 1024);
    const piece = `${text.length.toString(16)}\r\n${text}\r\n`;
    for (const { socket } of slow) socket.write(piece);
    const refused = () => slow.filter(({ answer }) => answer().startsWith("HTTP/1.1 503 ")).length;
    await until("what does not fit is refused", () => refused() >= 70 - 64);
    for (const { socket } of slow) socket.destroy();
    await until("there is room again", async () => {
      const sent = await edge.call("POST", "/api/agents/validate", { body: { protocol: "x".repeat(large) } });
      return sent.status !== 503;
    });
  });

  test("bodies just below 128 KiB that never end fill their principal's share, and others still send theirs", async (t) => {
    const edge = await startEdge(t, { trigger: async function* () {} });
    const length = 128 * 1024 - 1;
    const slow = Array.from({ length: 520 }, () =>
      beginBody(t, edge, { header: `Content-Length: ${length}`, begin: "{" }),
    );
    const refused = () => slow.filter(({ answer }) => answer() !== "");
    await until("what does not fit is refused", () => refused().length === 520 - 512);
    for (const { answer } of refused()) assert.match(answer(), /^HTTP\/1.1 503 [\s\S]*retry-after: \d/i);
    const { key: second } = await makeKey(edge, { permissions: ["agents"] });
    const other = beginBody(t, edge, { key: second, header: `Content-Length: ${length}`, begin: "{" });
    assert.equal((await edge.call("GET", "/api/agents", { key: second })).status, 200);
    other.socket.write(" ".repeat(length - 1));
    await until("the body is read", () => other.answer().startsWith("HTTP/1.1 400 "));
  });

  for (const framing of ["stated", "unknown"]) {
    test(`bodies of ${framing} length are bounded together until their responses have ended`, async (t) => {
      const app = Fastify({ forceCloseConnections: true });
      limitLargeBodies(app as unknown as App, {
        arriving: new ByteBudget(1_000_000_000, "Full."),
        inUse: new ByteBudget(2_000_000, "Full."),
      });
      useJsonBodiesOnly(app as unknown as App);
      app.setErrorHandler((error, _request, reply) => respondWithError(error, reply));
      app.post("/", async (_request, reply) => {
        reply.hijack();
        reply.raw.write("begun");
      });
      const url = await app.listen({ port: 0, host: "127.0.0.1" });
      t.onTestFinished(() => app.close());
      const body = JSON.stringify("x".repeat(200_000));
      const begin = async () => {
        const sending = new AbortController();
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: framing === "stated" ? body : new Blob([body]).stream(),
          duplex: "half",
          signal: sending.signal,
        });
        return { response, leave: () => sending.abort() };
      };
      const running = [await begin(), await begin()];
      assert.deepEqual(
        running.map(({ response }) => response.status),
        [200, 200],
      );
      const refused = await begin();
      assert.equal(refused.response.status, 503);
      assert.equal(JSON.parse(await refused.response.text()).code, "UNAVAILABLE");
      for (const { leave } of running) leave();
      let later: Awaited<ReturnType<typeof begin>> | undefined;
      await until("there is room again", async () => {
        later = await begin();
        return later.response.status === 200;
      });
      later?.leave();
    });
  }

  test("a client that leaves before its body is read leaves no reservation behind", async (t) => {
    const arriving = new ByteBudget(1_000_000, "Full.");
    const app = Fastify({ forceCloseConnections: true });
    const admitting = Promise.withResolvers<ServerResponse>();
    let isReading = false;
    app.addHook("onRequest", async (_request, { raw }) => {
      admitting.resolve(raw);
      await once(raw, "close");
    });
    limitLargeBodies(app as unknown as App, { arriving, inUse: new ByteBudget(1_000_000, "Full.") });
    app.addHook("preParsing", async () => {
      isReading = true;
    });
    app.post("/", async () => "");
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    t.onTestFinished(() => app.close());
    const client: Socket = connect(Number(new URL(url).port), "127.0.0.1");
    client.write(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 400000\r\n\r\n{",
    );
    await admitting.promise;
    client.destroy();
    await until("the request would be read", () => isReading);
    arriving.reserve(250_000, { projectId: "", principal: "" });
  });
});

import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { until } from "@muster/testing";
import Fastify from "fastify";
import { describe, type TestContext, test } from "vitest";
import { HttpProblem } from "../errors/http-problem.ts";
import type { App } from "../routes/app.ts";
import { type Edge, makeKey, startEdge } from "../testing.ts";
import { ArrivingBodies, limitArrivingBodies } from "./arriving-bodies.ts";

const large = 3 * 1024 * 1024;

function isRefusal(error: unknown): boolean {
  return error instanceof HttpProblem && error.code === "UNAVAILABLE";
}

/** Sends the headers and some of the body, and no more. */
function beginBody(t: TestContext, edge: Edge, { header, begin }: { header: string; begin: string }) {
  const socket = connect(Number(new URL(edge.url).port), "127.0.0.1");
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  socket.on("error", () => undefined);
  socket.write(
    `POST /api/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.adminKey}\r\n` +
      `Content-Type: application/json\r\n${header}\r\n\r\n${begin}`,
  );
  t.onTestFinished(() => void socket.destroy());
  return { socket, answer: () => answer };
}

async function keyOfOtherProject(edge: Edge): Promise<string> {
  const { json: project } = await edge.call("POST", "/api/admin/projects", { body: { name: "Other" } });
  return (await makeKey(edge, { permissions: ["agents"], projectId: project.id })).key;
}

describe("bodies that are arriving", () => {
  test("a reservation beyond the bound is refused until another one has ended", () => {
    const bodies = new ArrivingBodies(100);
    const end = bodies.reserve(40, "a");
    bodies.reserve(40, "b");
    assert.throws(() => bodies.reserve(21, "c"), isRefusal);
    end();
    end();
    bodies.reserve(50, "c");
    assert.throws(() => bodies.reserve(11, "a"), isRefusal);
  });

  test("one project can reserve half of it", () => {
    const bodies = new ArrivingBodies(100);
    const end = bodies.reserve(30, "a");
    bodies.reserve(20, "a");
    assert.throws(() => bodies.reserve(1, "a"), isRefusal);
    bodies.reserve(50, "b");
    end();
    bodies.reserve(30, "a");
  });

  test("a project's large bodies that stay incomplete are bounded together; other requests are served, and the bound recovers", async (t) => {
    const edge = await startEdge(t, { trigger: async function* () {} });
    const other = await keyOfOtherProject(edge);
    const slow = Array.from({ length: 47 }, () =>
      beginBody(t, edge, { header: `Content-Length: ${large}`, begin: "{" }),
    );
    await until("five are refused", () => slow.filter(({ answer }) => answer() !== "").length === 5);
    for (const { answer } of slow) assert.match(answer(), /^$|^HTTP\/1.1 503 [\s\S]*retry-after: 1/i);
    assert.equal((await edge.call("GET", "/api/agents")).status, 200);
    const send = (key = edge.adminKey) =>
      edge.call("POST", "/api/agents/validate", { key, body: { protocol: "x".repeat(large) } });
    assert.equal((await send()).status, 503);
    assert.notEqual((await send(other)).status, 503);
    for (const { socket } of slow) socket.destroy();
    await until("large requests are read again", async () => (await send()).status !== 503);
  });

  test("small bodies of unknown length need no room until they have become large", async (t) => {
    const edge = await startEdge(t, { trigger: async function* () {} });
    const slow = Array.from({ length: 70 }, () =>
      beginBody(t, edge, { header: "Transfer-Encoding: chunked", begin: "1\r\n{\r\n" }),
    );
    const list = await edge.call("GET", "/api/agents");
    assert.equal(list.status, 200);
    const text = "x".repeat(200 * 1024);
    const piece = `${text.length.toString(16)}\r\n${text}\r\n`;
    for (const { socket } of slow) socket.write(piece);
    const refused = () => slow.filter(({ answer }) => answer().startsWith("HTTP/1.1 503 ")).length;
    await until("what does not fit is refused", () => refused() === 70 - 32);
    const pieces = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(120)),
    });
    const whole = await fetch(`${edge.url}/api/agents`, {
      method: "POST",
      headers: { authorization: `Bearer ${edge.adminKey}`, "content-type": "application/json" },
      body: pieces,
      duplex: "half",
    });
    assert.equal(whole.status, 503);
    for (const { socket } of slow) socket.destroy();
    await until("there is room again", async () => {
      const sent = await edge.call("POST", "/api/agents/validate", { body: { protocol: "x".repeat(large) } });
      return sent.status !== 503;
    });
  });

  test("a client that leaves before its body is read leaves no reservation behind", async (t) => {
    const bodies = new ArrivingBodies(1_000_000);
    const app = Fastify();
    const admitting = Promise.withResolvers<ServerResponse>();
    let isReading = false;
    app.addHook("onRequest", async (_request, { raw }) => {
      admitting.resolve(raw);
      await once(raw, "close");
    });
    limitArrivingBodies(app as unknown as App, bodies);
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
    bodies.reserve(500_000, "");
  });
});

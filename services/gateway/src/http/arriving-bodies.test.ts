import assert from "node:assert/strict";
import { connect } from "node:net";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { HttpProblem } from "../errors/http-problem.ts";
import { startEdge } from "../testing.ts";
import { ArrivingBodies } from "./arriving-bodies.ts";

const large = 3 * 1024 * 1024;

describe("bodies that are arriving", () => {
  test("a reservation beyond the bound is refused until another one has ended", () => {
    const bodies = new ArrivingBodies(100);
    const end = bodies.reserve(60);
    assert.throws(
      () => bodies.reserve(41),
      (error: unknown) => error instanceof HttpProblem && error.code === "UNAVAILABLE",
    );
    end();
    end();
    bodies.reserve(100);
  });

  test("large bodies that stay incomplete are bounded together; small requests are still served, and the bound recovers", async (t) => {
    const edge = await startEdge(t, { trigger: async function* () {} });
    const slow = Array.from({ length: 90 }, () => {
      const socket = connect(Number(new URL(edge.url).port), "127.0.0.1");
      let answer = "";
      socket.on("data", (data) => {
        answer += data;
      });
      socket.on("error", () => undefined);
      socket.write(
        `POST /api/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.adminKey}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${large}\r\n\r\n{`,
      );
      t.onTestFinished(() => void socket.destroy());
      return { socket, answer: () => answer };
    });
    await until("five are refused", () => slow.filter(({ answer }) => answer() !== "").length === 5);
    for (const { answer } of slow) assert.match(answer(), /^$|^HTTP\/1.1 503 [\s\S]*retry-after: 1/i);
    assert.equal((await edge.call("GET", "/api/agents")).status, 200);
    const send = () => edge.call("POST", "/api/agents/validate", { body: { protocol: "x".repeat(large) } });
    assert.equal((await send()).status, 503);
    for (const { socket } of slow) socket.destroy();
    await until("large requests are read again", async () => (await send()).status !== 503);
  });
});

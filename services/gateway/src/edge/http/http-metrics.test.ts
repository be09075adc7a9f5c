import assert from "node:assert/strict";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { CollectedMetrics } from "@muster/metrics/testing";
import { until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { type ScriptedSessions, startEdge } from "../../../test/support/start-edge.ts";
import { type GatewayConfig, gatewayDefaults } from "../../config.ts";

async function startMeasured(
  t: TestContext,
  changed: Partial<GatewayConfig>,
  sessions: ScriptedSessions = {},
) {
  const edge = await startEdge(t, sessions);
  const metrics = new CollectedMetrics("gateway");
  const gateway = await edge.startGateway(changed, edge.bus, metrics);
  return { ...gateway, adminKey: edge.adminKey, metrics };
}

test("a request that a late event loop refuses is counted as that, and not as overload", async (t) => {
  const { call, metrics } = await startMeasured(t, { maxEventLoopDelayMs: 50 });
  const busy = setInterval(() => {
    const endMs = performance.now() + 60;
    while (performance.now() < endMs);
  }, 0);
  t.onTestFinished(() => clearInterval(busy));
  let refused = 0;
  await until("requests are refused", async () => {
    const { status } = await call("GET", "/api/credential");
    refused += Number(status === 503);
    return refused > 1;
  });
  clearInterval(busy);
  const scraped = await metrics.read();
  assert.equal(scraped.total("muster_http_refusals_total", { reason: "event_loop" }), refused);
  assert.equal(scraped.total("muster_http_refusals_total"), refused);
});

// The pace of the stream's own check follows from its heartbeat. That of all connections comes first if the other is late.
test.for([
  ["the stream", 100],
  ["the server", 15_000],
] as const)(
  "a stream whose stopped reader %s cuts is counted as cut, and not as left by its client",
  async ([, heartbeatMs], t) => {
    const json = JSON.stringify({ type: "text-delta", id: "t1", delta: "x".repeat(60_000) });
    const endless: ScriptedSessions = {
      trigger: async function* (_request, { signal }) {
        yield { events: [{ sequence: 1, type: "start", json: '{"type":"start","messageId":"m"}' }] };
        for (let sequence = 2; !signal.aborted; sequence++) {
          yield { events: [{ sequence, type: "text-delta", json }] };
          await setImmediate();
        }
      },
    };
    const streams = { ...gatewayDefaults.streams, drainTimeoutMs: 500, heartbeatMs };
    const { url, adminKey, metrics } = await startMeasured(t, { streams }, endless);
    const reader = connect(Number(new URL(url).port), "127.0.0.1");
    t.onTestFinished(() => void reader.destroy());
    reader.on("error", () => undefined).pause();
    const body = JSON.stringify({ triggerName: "user-message" });
    reader.write(
      `POST /api/agent-sessions/ses_1/trigger HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const outcomes = async (outcome?: "cut") =>
      (await metrics.read()).total("muster_stream_outcomes_total", outcome && { outcome });
    await until("the stream has ended", async () => (await outcomes()) > 0);
    assert.deepEqual([await outcomes("cut"), await outcomes()], [1, 1]);
  },
);

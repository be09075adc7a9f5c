import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { type ScriptedSessions, startEdge } from "./support/start-edge.ts";

/** The server's ends of the connections on which triggers arrive. */
function triggerSockets(t: TestContext): Socket[] {
  const sockets: Socket[] = [];
  const started = channel("http.server.request.start");
  const keep = (message: unknown): void => {
    const { request, socket } = message as { request: { url: string }; socket: Socket };
    if (request.url.endsWith("/trigger")) sockets.push(socket);
  };
  started.subscribe(keep);
  t.onTestFinished(() => void started.unsubscribe(keep));
  return sockets;
}

/** A service that streams deltas of this length for as long as it is read. */
function flooding(deltaLength: number) {
  const state = { bytes: 0, isOver: false };
  const impl: ScriptedSessions = {
    trigger: async function* () {
      try {
        for (let sequence = 1; ; sequence++) {
          const json = JSON.stringify({ type: "text-delta", id: "t", delta: "x".repeat(deltaLength) });
          state.bytes += json.length;
          yield { events: [{ sequence, type: "text-delta", json }] };
        }
      } finally {
        state.isOver = true;
      }
    },
  };
  return { state, impl };
}

for (const deltaLength of [300, 30_000]) {
  test(`a reader that stops leaves at most 256 KiB and one event between the sessions service and its socket (deltas of ${deltaLength})`, async (t) => {
    const sockets = triggerSockets(t);
    const { state, impl } = flooding(deltaLength);
    const edge = await startEdge(t, impl);
    const body = JSON.stringify({ triggerName: "x" });
    const reader = connect(Number(new URL(edge.url).port), "127.0.0.1");
    reader.pause();
    reader.write(
      `POST /api/agent-sessions/ses_1/trigger HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.adminKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    for (let seen = -1; seen !== state.bytes || state.bytes === 0; ) {
      seen = state.bytes;
      await delay(150);
    }
    const [socket] = sockets;
    assert.ok(socket);
    const takenBytes = socket.bytesWritten - socket.writableLength;
    const queuedBytes = state.bytes - takenBytes;
    // An event that the kernel has taken in part still counts whole.
    const maxBytes = 256 * 1024 + deltaLength;
    assert.ok(queuedBytes > 0 && queuedBytes <= maxBytes, `${queuedBytes} bytes are queued`);
    reader.destroy();
    await until(() => state.isOver);
  });
}

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { freePort } from "@muster/testing";
import { test } from "vitest";
import { startServer } from "../../test/support/support.ts";
import { probeInstance } from "./probe-instance.ts";

test("an instance that serves and one that refuses connections respond, a silent one does not", async (t) => {
  const { address } = await startServer(t, {});
  assert.equal(await probeInstance(address, 60_000), true);
  assert.equal(await probeInstance(`127.0.0.1:${await freePort()}`, 60_000), true);
  const sockets: Socket[] = [];
  const accept = (socket: Socket) => sockets.push(socket.resume().on("error", () => undefined));
  const silent = createServer(accept).listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.onTestFinished(() => {
    // grpc-js itself would close the connection only after its connect timeout of 20 s.
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const bound = silent.address();
  assert.ok(bound !== null && typeof bound === "object");
  assert.equal(await probeInstance(`127.0.0.1:${bound.port}`, 100), false);
});

test("an instance is not blamed if the asking process was blocked while it waited", async (t) => {
  const { address } = await startServer(t, {});
  const timeoutMs = 2_000;
  const probed = probeInstance(address, timeoutMs);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs * 1.5);
  assert.equal(await probed, true);
});

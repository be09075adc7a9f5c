import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { TestContext } from "vitest";

/** Starts an HTTP server that is not Muster. Returns its address. */
export async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return `http://127.0.0.1:${address.port}`;
}

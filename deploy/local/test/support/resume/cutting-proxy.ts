import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { TestScope } from "@muster/testing";

/** A network path to a local port that cuts every connection once it has passed a number of bytes of the response. */
export async function startCuttingProxy(t: TestScope, targetPort: number, nextLength: () => number) {
  const server = createServer((client) => {
    let left = nextLength();
    const upstream = connect(targetPort, "127.0.0.1");
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    // Cut deliberately, so errors are expected.
    for (const socket of [client, upstream]) socket.on("error", () => undefined).on("close", cut);
    client.on("data", (data) => upstream.write(data));
    upstream.on("data", (data) => {
      const passed = data.subarray(0, left);
      left -= passed.length;
      client.write(passed, () => {
        if (left === 0) cut();
      });
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  return `http://127.0.0.1:${address.port}`;
}

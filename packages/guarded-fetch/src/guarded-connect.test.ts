import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, test, vi } from "vitest";
import { createGuardedConnect } from "./guarded-connect.ts";

describe("a guarded connection", () => {
  test("reaches the port of an allowed host, and outlives the time that connecting may take", async (t) => {
    const server = createServer((socket) => socket.on("data", (data) => socket.end(`got ${data}`)));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const connect = createGuardedConnect({ privateOrigins: [`https://localhost:${port}`] });
    const url = new URL(`https://localhost:${port}/`);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const socket = await connect(url, { timeoutMs: 10_000 });
    vi.advanceTimersByTime(20_000);
    vi.useRealTimers();
    socket.write("hello");
    assert.equal(String((await once(socket, "data"))[0]), "got hello");
    socket.destroy();
    const ending = new AbortController();
    const other = (await connect(url, {}, ending.signal)).on("error", () => {});
    ending.abort();
    await new Promise((resolve) => other.once("close", resolve));
  });

  test("is refused to other schemes, ports, hosts and private addresses, as a fetch is", async () => {
    const connect = createGuardedConnect({ resolve: async () => ["93.184.216.34", "10.0.0.1"] });
    const mayVisit = ({ hostname }: URL) => hostname === "a.example";
    const refused = {
      "http://a.example/": "not-https",
      "https://a.example:22/": "port",
      "https://127.0.0.1/": "private-address",
      "https://b.example/": "not-allowed",
      "https://a.example/": "private-address",
    };
    for (const [url, reason] of Object.entries(refused))
      await assert.rejects(connect(new URL(url), { mayVisit }), { name: "FetchProblem", reason }, url);
  });
});

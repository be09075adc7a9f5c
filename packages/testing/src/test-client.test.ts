import assert from "node:assert/strict";
import { test } from "vitest";
import { serve } from "./servers.ts";
import { TestClient } from "./test-client.ts";

test("a request that is refused for a moment is sent again, unless its test is about the refusal", async (t) => {
  let received = 0;
  const url = await serve(t, (_request, response) => {
    received += 1;
    if (received % 2 === 1) response.writeHead(503, { "retry-after": "0" }).end("{}");
    else response.writeHead(200).end('{"id":"1"}');
  });
  const client = new TestClient(url, "key");
  assert.deepEqual([await client.json(200, "GET", "/"), received], [{ id: "1" }, 2]);
  assert.deepEqual([await client.json(503, "GET", "/"), received], [{}, 3]);
  assert.deepEqual([(await client.request("GET", "/")).status, received], [200, 4]);
  assert.deepEqual([(await client.request("GET", "/")).status, received], [503, 5]);
});

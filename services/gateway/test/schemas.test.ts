import assert from "node:assert/strict";
import { protocolEditorSchema, settingsEditorSchema } from "@muster/language";
import { test } from "vitest";
import { startEdge } from "./support/start-edge.ts";

test("editors can fetch the schemas of an agent folder without a key, from any origin, and cache them", async (t) => {
  const edge = await startEdge(t);
  const expected = { protocol: protocolEditorSchema(), settings: settingsEditorSchema() };
  for (const [name, schema] of Object.entries(expected)) {
    const path = `/schemas/${name}.json`;
    const first = await edge.call("GET", path, { key: null });
    assert.equal(first.status, 200);
    assert.deepEqual(first.json, schema);
    assert.match(first.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(first.headers.get("access-control-allow-origin"), "*");
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    const again = await edge.call("GET", path, { key: null, headers });
    assert.deepEqual([again.status, again.text], [304, ""]);
  }
  assert.equal((await edge.call("GET", "/schemas/other.json", { key: null })).status, 404);
});

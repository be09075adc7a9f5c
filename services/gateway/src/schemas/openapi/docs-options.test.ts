import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { startEdge } from "../../../test/support/start-edge.ts";

describe("the API page", () => {
  test("the page follows its own policy: no inline code, and every file comes from the server with the right type", async (t) => {
    const edge = await startEdge(t);
    const page = await edge.call("GET", "/docs", { key: null });
    const policy = page.headers.get("content-security-policy") ?? "";
    for (const rule of ["default-src 'self'", "script-src 'self'", "style-src 'self'", "object-src 'none'"]) {
      assert.ok(policy.includes(`${rule};`), policy);
    }
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.doesNotMatch(page.text, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = ""]) => file);
    assert.ok(files.length >= 5, page.text);
    const types: Record<string, RegExp> = { js: /javascript/, css: /^text\/css/, svg: /^image\/svg/ };
    for (const file of files) {
      assert.match(file, /^\/docs\/static\/[\w/.-]+\.(js|css|svg)$/);
      const { status, headers } = await edge.call("GET", file, { key: null });
      const extension = file.slice(file.lastIndexOf(".") + 1);
      assert.equal(status, 200, file);
      assert.match(headers.get("content-type") ?? "", types[extension] ?? /never/, file);
    }
  });

  test("the page shows neither a logo of its renderer nor a field that loads other documents", async (t) => {
    const edge = await startEdge(t);
    const { text } = await edge.call("GET", "/docs/static/swagger-initializer.js", { key: null });
    // Only the standalone layout has the bar with both.
    assert.match(text, /const config = \{[^\n]*"layout":"BaseLayout"/);
    assert.doesNotMatch((await edge.call("GET", "/docs", { key: null })).text, /favicon-|logo/);
    assert.equal((await edge.call("GET", "/docs/json", { key: null })).json.openapi, "3.1.0");
  });

  test("the page reads the stored document, also behind a path, and requests from it go to the server's public address", async (t) => {
    const edge = await startEdge(t, {}, { publicUrl: "https://muster.example/base" });
    for (const path of ["/docs/json", "/docs/yaml"]) {
      const { status, headers } = await fetch(edge.url + path, { redirect: "manual" });
      assert.equal(status, 302);
      const address = new URL(headers.get("location") ?? "", `https://muster.example/base${path}`);
      assert.equal(address.href, "https://muster.example/base/openapi.json");
    }
    const { json } = await edge.call("GET", "/docs/json", { key: null });
    assert.deepEqual(json.servers, [{ url: "https://muster.example/base" }]);
  });
});

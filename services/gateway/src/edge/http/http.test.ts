import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { accepts, requestIdFrom } from "./headers.ts";
import { KnownPaths } from "./known-paths.ts";

describe("Accept", () => {
  const cases: Array<[header: string | undefined, mediaType: string, isAccepted: boolean]> = [
    [undefined, "application/json", true],
    ["", "application/json", true],
    ["*/*", "text/event-stream", true],
    ["application/json, text/plain, */*", "text/event-stream", true],
    ["application/*;q=0.5", "application/json", true],
    ["APPLICATION/JSON", "application/json", true],
    ["text/html", "application/json", false],
    ["application/json", "text/event-stream", false],
    ["*/*, application/json;q=0", "application/json", false],
    ["*/*;q=0", "application/json", false],
    ["nonsense", "application/json", false],
  ];
  for (const [header, mediaType, isAccepted] of cases) {
    test(`the Accept header ${String(header)} ${isAccepted ? "accepts" : "excludes"} ${mediaType}`, () => {
      assert.equal(accepts(header, mediaType), isAccepted);
    });
  }
});

test("a known path has methods whatever its parameters and query, and an unknown path has none", () => {
  const paths = new KnownPaths();
  paths.add("/api/agents/:id", ["GET", "HEAD"]);
  paths.add("/api/agents/:id", "PATCH");
  paths.add("/docs/*", "GET");
  assert.deepEqual(paths.methodsOf("/api/agents/x?by=slug"), ["GET", "HEAD", "PATCH"]);
  assert.deepEqual(paths.methodsOf("/docs/viewer.js"), ["GET"]);
  assert.deepEqual(paths.methodsOf("/api/agents/"), []);
  assert.deepEqual(paths.methodsOf("/api/agents/x/y"), []);
});

test("a request keeps its own id only if it is 1-128 printable ASCII characters", () => {
  const newId = () => "req_new";
  assert.equal(requestIdFrom("abc 1", newId), "abc 1");
  assert.equal(requestIdFrom("x".repeat(128), newId), "x".repeat(128));
  for (const bad of [undefined, "", "x".repeat(129), "ä", "a\tb"])
    assert.equal(requestIdFrom(bad, newId), "req_new");
});

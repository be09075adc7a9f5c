import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { permissions } from "@muster/rpc";
import { test } from "vitest";
import { startEdge } from "../../test/support/start-edge.ts";
import { type AccessRow, accessOf, accessTable, isOpen, limitedCredentials } from "./access-table.ts";

test("every route of the running gateway has a row, and every row a route", async (t) => {
  const { routes } = await startEdge(t);
  const named = new Set(routes.map((route) => route.replace(/^HEAD /, "GET ")));
  assert.deepEqual([...named].sort(), Object.keys(accessTable).sort());
});

test("HEAD has the row of GET, and a path without a route has none", () => {
  assert.equal(accessOf("HEAD", "/api/agents"), accessOf("GET", "/api/agents"));
  for (const path of ["/api/none", "constructor", "__proto__"])
    assert.equal(accessOf("GET", path), undefined);
  assert.equal(accessOf("toString", ""), undefined);
});

test("a parameter that a row limits is a parameter of its path", () => {
  for (const [route, { session, agent }] of Object.entries(accessTable)) {
    for (const name of [session, agent]) {
      if (name !== undefined) assert.ok(route.split("/").includes(`:${name}`), route);
    }
  }
});

test("no token opens a route that creates, edits or mints, and no route for everyone lists limits", () => {
  const withTokens = Object.entries(accessTable).filter(([, { limited }]) =>
    limited.some((name) => name === "agent-token" || name === "session-token"),
  );
  for (const [route, { anyOf }] of withTokens) {
    assert.deepEqual(anyOf, [route.includes(" /api/approvals") ? "approve" : "sessions"], route);
    assert.doesNotMatch(route, /^(PUT|PATCH) |admin|tokens/);
  }
  for (const [route, row] of Object.entries(accessTable)) {
    if (isOpen(row)) assert.deepEqual(row.limited, [], route);
  }
});

test("a token of a computer opens the route that connects it, and no other, and nothing else opens that", () => {
  for (const [route, { limited, onlyLimited }] of Object.entries(accessTable)) {
    const isConnect = route === "GET /api/v1/computers/connect";
    assert.equal(limited.includes("computer-token"), isConnect, route);
    if (isConnect) assert.deepEqual([limited, onlyLimited], [["computer-token"], true]);
  }
});

test("only keys of workforce agents open the routes of their work, and no other route but those for every key", () => {
  for (const [route, { onlyLimited, limited, anyOf, agent, orSigned }] of Object.entries(accessTable)) {
    const isVideo = route.startsWith("GET /r/");
    if (limited.includes("computer-token")) continue;
    const isOwnWork = isVideo || route.includes(" /api/v1/workforce/agents/:agentId");
    assert.equal(onlyLimited ?? false, isOwnWork, route);
    assert.equal(orSigned ?? false, isVideo, route);
    const inPath = isVideo ? undefined : "agentId";
    if (isOwnWork) assert.deepEqual([limited, anyOf, agent], [["workforce-key"], ["workforce"], inPath]);
    else if (route.includes(" /api/a2a/:agentId"))
      assert.deepEqual([limited, anyOf, agent], [["workforce-key"], ["workforce"], "agentId"]);
    else if (limited.includes("workforce-key"))
      assert.ok(["GET /api/credential", "POST /mcp", "POST /api/logins"].includes(route), route);
  }
});

test("the paths of workforce agents' work begin with /api/v1/workforce/, those of all others with /api/ and no version", () => {
  for (const [route, row] of Object.entries(accessTable)) {
    const path = route.slice(route.indexOf(" ") + 1);
    // The clients of some dialects fix the paths.
    if (isOpen(row) || path.startsWith("/r/") || /^\/(?:v1\/(?:chat|models|responses)|mcp$)/.test(path))
      continue;
    assert.match(path, row.onlyLimited ? /^\/api\/v1\/(?:workforce|computers)\// : /^\/api\/(?!v\d)/);
  }
});

test("docs/access.md has the same table", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/access.md"), "utf8");
  const written = page.split("\n").filter((line) => line.startsWith("| `"));
  const expected = Object.entries(accessTable)
    .filter(([route]) => !/^GET \/(?:docs|console)/.test(route))
    .map(
      ([route, row]) =>
        `| \`${route}\` |${cellsOf(row)
          .map((cell) => (cell === "" ? " |" : ` ${cell} |`))
          .join("")}`,
    );
  assert.deepEqual(written.sort(), expected.sort());
});

function cellsOf(row: AccessRow): string[] {
  const { anyOf, grants, limited, browsers } = row;
  const names = anyOf.map((name) => `\`${name}\``).join(" or ") + (grants ? ` and \`${grants}\`` : "");
  const permission = row.orSigned
    ? "signed, or its own"
    : row.onlyLimited
      ? "its own only"
      : anyOf === permissions
        ? "any"
        : names;
  return [
    isOpen(row) ? "none" : permission,
    ...limitedCredentials.map((name) => yes(limited.includes(name))),
    browsers === "any-origin" ? "any origin" : yes(browsers !== undefined),
  ];
}

function yes(is: boolean | undefined): string {
  return is ? "yes" : "";
}

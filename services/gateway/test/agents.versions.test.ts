import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { agentBody, startEdge } from "./support/start-edge.ts";

async function start(t: Parameters<typeof startEdge>[0]) {
  const edge = await startEdge(t);
  const { json } = await edge.call("POST", "/api/agents", { body: agentBody("echo") });
  const agentId: string = json.agentId;
  const path = `/api/agents/${agentId}`;
  const rename = (name: string, ifMatch?: string, at = path) =>
    edge.call("PATCH", at, {
      body: { settings: { name } },
      headers: ifMatch === undefined ? {} : { "if-match": ifMatch },
    });
  const read = (ifNoneMatch: string, at = path) =>
    edge.call("GET", at, { headers: { "if-none-match": ifNoneMatch } });
  return { edge, agentId, path, rename, read };
}

describe("versions of an agent", () => {
  test("a partial change leaves the other parts unchanged", async (t) => {
    const { edge, path } = await start(t);
    const before = (await edge.call("GET", path)).json;
    const settings = { ...before.settings, description: "Repeats" };
    await edge.call("PATCH", path, { body: { settings: { description: "Repeats" } } });
    assert.deepEqual((await edge.call("GET", path)).json, { ...before, settings });
    const prompts = [{ name: "system", content: "Be brief." }, before.prompts[1]];
    await edge.call("PATCH", path, { body: { prompts } });
    assert.deepEqual((await edge.call("GET", path)).json, { ...before, settings, prompts });
    const { versions } = (await edge.call("GET", `${path}/versions`)).json;
    assert.deepEqual(
      versions.map(({ version, changes }: { version: number; changes: string[] }) => [version, changes]),
      [
        [3, ["prompts"]],
        [2, ["settings"]],
        [1, ["created"]],
      ],
    );
    assert.deepEqual((await edge.call("GET", `${path}?version=1`)).json, before);
    assert.equal((await edge.call("GET", `${path}?version=4`)).status, 404);
  });

  test("a change that would make the definition invalid is refused as a whole", async (t) => {
    const { edge, path } = await start(t);
    const before = (await edge.call("GET", path)).text;
    for (const body of [
      { settings: { name: "Renamed" }, prompts: [] },
      { settings: { name: "Renamed", format: "worker" } },
      { settings: { name: "Renamed" }, protocol: "agent: {}" },
    ]) {
      const { status, json } = await edge.call("PATCH", path, { body });
      assert.deepEqual([status, json.code], [422, "INVALID_DEFINITION"]);
    }
    assert.equal((await edge.call("GET", path)).text, before);
  });

  test("an update never changes the slug, whatever its value", async (t) => {
    const { edge, path } = await start(t);
    for (const slug of ["echo", "other", null, 7]) {
      const { status, json } = await edge.call("PATCH", path, { body: { settings: { slug } } });
      assert.deepEqual([status, json.issues[0].path], [400, "settings.slug"]);
    }
  });

  test("every route that accepts an id also accepts a slug", async (t) => {
    const { edge, agentId, rename } = await start(t);
    assert.equal((await edge.call("GET", "/api/agents/echo?by=slug")).json.id, agentId);
    const misnamed = await edge.call("GET", "/api/agents/echo");
    assert.equal(misnamed.status, 404);
    assert.match(misnamed.json.error, /"echo" is not the id of an agent, agt_….*\?by=slug in a path/);
    const mint = async (body: object) => {
      const { status, json } = await edge.call("POST", "/api/tokens", { body });
      return [status, json.issues?.[0].path ?? json.code];
    };
    assert.deepEqual(await mint({ agentSlug: "echo" }), [201, undefined]);
    assert.deepEqual(await mint({ agentSlug: "none" }), [404, "NOT_FOUND"]);
    assert.deepEqual(await mint({ agentSlug: "echo", agentId }), [400, "agentId"]);
    assert.deepEqual(await mint({}), [400, "agentId"]);
    assert.equal((await rename("New", undefined, "/api/agents/echo?by=slug")).json.agentId, agentId);
    assert.equal((await edge.call("GET", "/api/agents/echo/versions?by=slug")).json.versions.length, 2);
    assert.equal((await edge.call("GET", "/api/agents/echo")).status, 404);
    assert.equal((await edge.call("GET", "/api/agents/echo?by=name")).status, 400);
    assert.equal((await edge.call("DELETE", "/api/agents/echo?by=slug")).json.agentId, agentId);
    assert.equal((await edge.call("GET", "/api/agents/echo?by=slug")).status, 404);
  });

  test("an archived agent frees its slug at once for a new agent with its own history", async (t) => {
    const { edge, agentId, path, rename } = await start(t);
    await rename("Second");
    const create = () => edge.call("POST", "/api/agents", { body: agentBody("echo") });
    const taken = await create();
    assert.deepEqual([taken.status, taken.json.code], [409, "SLUG_TAKEN"]);
    assert.equal((await edge.call("DELETE", path)).json.message, "Agent archived");
    const { status, json } = await create();
    assert.equal(status, 201);
    assert.notEqual(json.agentId, agentId);
    assert.equal((await edge.call("GET", "/api/agents/echo/versions?by=slug")).json.versions.length, 1);
    for (const [method, url] of [
      ["GET", path],
      ["GET", `${path}/versions`],
      ["GET", `${path}?version=1`],
    ] as const) {
      assert.equal((await edge.call(method, url)).status, 404);
    }
    assert.equal((await rename("Third")).status, 404);
  });
});

describe("If-Match", () => {
  test("If-Match accepts a version, a list of versions or *, and other versions are 412", async (t) => {
    const { edge, path, rename } = await start(t);
    const steps: Array<[ifMatch: string, status: number, etag: string]> = [
      ['"1"', 200, '"2"'],
      ['"1"', 412, '"2"'],
      ['"1", "2"', 200, '"3"'],
      ['"1","2"', 412, '"3"'],
      ["*", 200, '"4"'],
      // Weak tags never match here: RFC 9110, 13.1.1.
      ['W/"4"', 412, '"4"'],
      ['W/"4", "4"', 200, '"5"'],
      ['"abc"', 412, '"5"'],
      ['"05"', 412, '"5"'],
      [`"${"9".repeat(30)}"`, 412, '"5"'],
    ];
    for (const [index, [ifMatch, status, etag]] of steps.entries()) {
      const answer = await rename(`Name ${index}`, ifMatch);
      assert.equal(answer.status, status, `${ifMatch}: ${answer.text}`);
      if (status === 412) assert.equal(answer.json.code, "VERSION_MISMATCH");
      assert.equal((await edge.call("GET", path)).headers.get("etag"), etag, ifMatch);
    }
  });

  test("a malformed If-Match is 400 and changes nothing", async (t) => {
    const { edge, path, rename } = await start(t);
    for (const ifMatch of ["1", "", ",", '"1', '1"', "'1'", 'w/"1"', '*, "1"', '"1" "2"', 'W/1, "1"']) {
      const { status, json } = await rename("New", ifMatch);
      assert.deepEqual([status, json.issues?.[0].path], [400, "headers.if-match"], ifMatch);
    }
    assert.equal((await edge.call("GET", path)).headers.get("etag"), '"1"');
  });

  test("If-Match also applies to archiving", async (t) => {
    const { edge, path, rename } = await start(t);
    await rename("Second");
    const archive = (ifMatch: string) => edge.call("DELETE", path, { headers: { "if-match": ifMatch } });
    for (const ifMatch of ['"1"', 'W/"2"', '"1", "3"']) assert.equal((await archive(ifMatch)).status, 412);
    assert.equal((await archive("2")).status, 400);
    assert.equal((await edge.call("GET", path)).status, 200);
    assert.equal((await archive('"1", "2"')).status, 200);
    assert.equal((await edge.call("GET", path)).status, 404);
  });

  test("If-Match admits exactly one of sixteen concurrent changes", async (t) => {
    const { edge, path, rename } = await start(t);
    const calls = Array.from({ length: 16 }, (_, index) =>
      rename(`Name ${index}`, index % 2 === 0 ? '"1"' : '"1", "7"'),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 15 }, () => 412)]);
    assert.equal((await edge.call("GET", path)).headers.get("etag"), '"2"');
  });
});

describe("If-None-Match", () => {
  test("an If-None-Match with the current version returns 304 without a body", async (t) => {
    const { path, read, rename } = await start(t);
    for (const tags of ['"1"', 'W/"1"', '"7", "1"', "*"]) {
      const { status, headers, text } = await read(tags);
      assert.deepEqual([status, headers.get("etag"), text], [304, '"1"', ""], tags);
      // It would have to be the length of the body that was not sent.
      assert.deepEqual([headers.get("content-length"), headers.get("content-type")], [null, null]);
    }
    assert.equal((await read('"2"')).status, 200);
    await rename("New");
    assert.equal((await read('"1"')).status, 200);
    assert.equal((await read('"1"', `${path}?version=1`)).status, 304);
    assert.equal((await read("1")).status, 200);
  });

  test("If-None-Match by slug never hides that another agent has taken the slug", async (t) => {
    const { edge, path, read } = await start(t);
    await edge.call("DELETE", path);
    await edge.call("POST", "/api/agents", { body: agentBody("echo") });
    assert.equal((await read('"1"', "/api/agents/echo?by=slug")).status, 200);
    assert.equal((await read('"1"')).status, 404);
  });
});

import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serve } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

const token = "the-secret-0123456789";
const secretEnv = ["--auth", "bearer", "--secret-env", "TICKETS_TOKEN"];
const env = { TICKETS_TOKEN: token, TICKETS_TENANT: "acme" };

/** A real MCP server that requires a token and a header. */
function ticketServer(): RequestListener {
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: "tickets", version: "1.2.3" });
      const done = { content: [{ type: "text" as const, text: "done" }] };
      for (const name of ["get_ticket", "close_ticket", "get_user"])
        server.registerTool(name, { description: `Does ${name}.` }, () => done);
      return server;
    }),
  ) as RequestListener;
  return (request, response) => {
    const { authorization, "x-tenant": tenant } = request.headers;
    if (authorization === `Bearer ${token}` && tenant === "acme") handler(request, response);
    else response.writeHead(401).end();
  };
}

describe("muster mcp", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let url: string;
  beforeAll(async () => {
    ({ run } = await startWorkplace(scope, { MCP_ALLOWED_HOSTS: "127.0.0.1" }));
    url = `${await serve(scope, ticketServer())}/mcp`;
  });

  test("add registers a real server with secrets of the environment; test lists its tools; show and list contain no secret", async () => {
    const more = ["--header-env", "X-Tenant=TICKETS_TENANT", "--tool", "get_*", "--timeout", "20s"];
    const added = await run(["mcp", "add", "tickets", url, ...secretEnv, ...more], { env });
    assert.equal(added.code, 0, added.err);
    assert.match(added.out, /^mcp_[0-9a-z]{30}\n$/);
    const tested = await run(["mcp", "test", "tickets"]);
    assert.equal(tested.code, 0, tested.out);
    assert.match(tested.out, /^ok {2}tickets 1\.2\.3, protocol 2026-07-28 \(modern\), \d+ ms\n/);
    assert.match(
      tested.out,
      /\nTOOL +DESCRIPTION\nget_ticket +Does get_ticket\.\nget_user +Does get_user\.\n$/,
    );
    const shown = await run(["mcp", "show", added.out.trim()]);
    for (const line of ["Auth     bearer", "Headers  X-Tenant", "Tools    get_*", "Enabled  yes"])
      assert.ok(shown.out.includes(`${line}\n`), shown.out);
    const listed = await run(["mcp", "list"]);
    assert.match(listed.out, /^SLUG .*\ntickets +http:.*\/mcp +bearer +get_\* +yes +mcp_/);
    const json = await run(["mcp", "list", "--json"]);
    for (const { out, err } of [added, tested, shown, listed, json])
      assert.ok(!`${out}${err}`.includes(token) && !`${out}${err}`.includes("acme"));
    assert.equal((await run(["mcp", "update", "tickets"])).code, 2);
    assert.equal((await run(["mcp", "update", "tickets", "--enable", "--disable"])).code, 2);
    const changes = ["--tool", "get_user", "--timeout", "30s", "--disable"];
    const changed = await run(["mcp", "update", "tickets", ...changes, "--json"]);
    assert.partialDeepStrictEqual(JSON.parse(changed.out), {
      ...{
        slug: "tickets",
        auth: { type: "bearer" },
        tools: ["get_user"],
        timeoutMs: 30_000,
        enabled: false,
      },
    });
    assert.equal((await run(["mcp", "remove", "tickets"])).code, 2);
    assert.equal((await run(["mcp", "remove", "tickets", "--yes"])).out, "Removed tickets.\n");
    assert.equal((await run(["mcp", "show", "tickets"])).code, 1);
  });

  test("test and doctor name the stage at which each server failed, and leave out what is not enabled", async () => {
    const add = (...args: string[]) => run(["mcp", "add", ...args], { env, input: `${token}x\n` });
    for (const added of [
      await add("wrong-token", url, "--auth", "bearer", "--header-env", "X-Tenant=TICKETS_TENANT"),
      await add("private", "http://10.0.0.7/mcp"),
      await add("later", url, "--disabled"),
    ])
      assert.equal(added.code, 0, added.err);
    const one = await run(["mcp", "test", "wrong-token"]);
    assert.equal(one.code, 1);
    assert.match(
      one.out,
      /^failed {2}authorization: The MCP server wrong-token refuses the credentials\.\n$/,
    );
    const disabled = await run(["mcp", "test", "later", "--json"]);
    assert.equal(JSON.parse(disabled.out).stage, "authorization");
    const [all, doctor] = [await run(["mcp", "test"]), await run(["doctor"])];
    assert.deepEqual([all.code, doctor.code], [1, 1]);
    for (const { out } of [all, doctor]) {
      assert.match(out, /^off +mcp later +not enabled$/m);
      assert.match(out, /^failed +mcp private +address: .*private.*$/m);
      assert.match(out, /^failed +mcp wrong-token +authorization: .*$/m);
      assert.ok(!out.includes(token));
    }
  });

  test("a wrong command line is refused before anything is sent, and the server's issues are shown", async () => {
    for (const wrong of [
      ["--auth", "basic"],
      ["--secret-env", "TICKETS_TOKEN"],
      ["--auth", "bearer", "--secret-env", "MISSING"],
      ["--auth", "bearer"],
      ["--header-env", "X-Tenant"],
      ["--header-env", "X-Tenant=MISSING"],
      ["--timeout", "20"],
    ]) {
      const { code, out } = await run(["mcp", "add", "x", url, ...wrong], { env, input: "" });
      assert.deepEqual([code, out], [2, ""], wrong.join(" "));
    }
    const refused = await run(["mcp", "add", "shell", url, ...secretEnv, "--auth-header", "X-Key"], { env });
    assert.equal(refused.code, 1);
    assert.match(refused.err, /auth\.name/);
    assert.ok(!refused.err.includes(token));
  });
});

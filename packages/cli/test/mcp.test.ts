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

  test("muster projects tool-hosts allows a host, prints its generated secret once, and removes both", async () => {
    const hosts = (...args: string[]) => run(["projects", "tool-hosts", ...args], { env: own });
    const own = { ORDERS_SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}` };
    const added = await hosts("add", "orders.example.com");
    assert.equal(added.code, 0, added.err);
    assert.match(added.out, /^whsec_[A-Za-z0-9+/]{43}=\n$/);
    const again = await hosts("add", "orders.example.com", "--untrusted");
    assert.deepEqual([again.code, again.out], [0, "Added orders.example.com.\n"]);
    assert.equal((await hosts("add", "10.0.0.7:8080", "--secret-env", "ORDERS_SECRET")).code, 0);
    const listed = await hosts("list");
    const end = added.out.trim().slice(-4);
    assert.ok(listed.out.includes(`orders.example.com  untrusted  ${end}`), listed.out);
    assert.match(listed.out, /^10\.0\.0\.7:8080 +trusted +Bwc=$/m);
    const rotated = await hosts("rotate", "orders.example.com", "--json");
    const { secret } = JSON.parse(rotated.out);
    assert.ok(secret.startsWith("whsec_") && !added.out.includes(secret), rotated.out);
    for (const wrong of ["Orders.example.com", "https://orders.example.com"])
      assert.equal((await hosts("add", wrong)).code, 1);
    assert.equal((await hosts("rotate", "orders.example.com", "--secret-env", "MISSING")).code, 2);
    assert.equal((await hosts("remove", "orders.example.com")).code, 2);
    assert.equal((await hosts("remove", "orders.example.com", "--yes")).code, 0);
    assert.equal((await hosts("remove", "orders.example.com", "--yes")).code, 1);
    const left = JSON.parse((await hosts("list", "--json")).out);
    assert.deepEqual(left, {
      toolHosts: [{ host: "10.0.0.7:8080", untrusted: false, lastFour: "Bwc=" }],
    });
  });
});

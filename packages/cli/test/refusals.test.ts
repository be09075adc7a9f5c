import assert from "node:assert/strict";
import { serve } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder, muster, onlineCommands } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

const key = "svc_sk_secret0123456789";
const onServer = (url: string) => ({ env: { MUSTER_URL: url, MUSTER_API_KEY: key } });

describe("errors of a server", () => {
  const scope = suiteScope();
  let env: Workplace["env"];
  let run: Workplace["run"];
  let url: Workplace["url"];
  let cwd = "";
  beforeAll(async () => {
    // Each command sends a wrong key.
    const unlimited = { AUTH_FAILURES_PER_MINUTE: "0" };
    ({ env, run, url } = await startWorkplace(scope, unlimited));
    cwd = await makeFolder(scope, helper);
  });

  test("a wrong server address is not mistaken for a missing agent", async () => {
    const elsewhere = { cwd, env: { ...env, MUSTER_URL: `${env.MUSTER_URL}/api` } };
    const pushed = await muster(["agents", "push", "--dry-run"], elsewhere);
    assert.deepEqual([pushed.code, pushed.out], [1, ""]);
    assert.match(pushed.err, /path does not exist/);
  });

  test("every command that needs a key fails with a wrong one, and never prints it", async () => {
    for (const args of onlineCommands.filter(([name]) => name !== "models")) {
      const { code, out, err } = await muster([...args, "--json"], { ...onServer(url), cwd });
      assert.equal(code, 1, args.join(" "));
      JSON.parse(out);
      assert.ok(!(out + err).includes(key));
      if (args[0] !== "doctor")
        assert.match(
          err,
          /^Error: .* rejected the API key in MUSTER_API_KEY.*\(UNAUTHENTICATED, req_\w+\)$/m,
        );
    }
  });

  test("a reply stream that breaks is reported as a server failure", async (t) => {
    assert.equal((await run(["agents", "push", "--yes"], { cwd })).code, 0);
    const proxy = await serve(t, async (request, reply) => {
      if (request.url?.endsWith("/trigger")) {
        const text =
          'data: {"type":"start","executionId":"e"}\n\ndata: {"type":"text-delta","delta":"Half"}\n\n';
        reply
          .writeHead(200, { "content-type": "text/event-stream" })
          .write(text, () => reply.socket?.destroy());
        return;
      }
      const body = request.method === "POST" ? await new Response(request).text() : undefined;
      const headers = { authorization: `Bearer ${env.MUSTER_API_KEY}`, "content-type": "application/json" };
      const method = request.method ?? "GET";
      const answer = await fetch(url + request.url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      reply.writeHead(answer.status, { etag: answer.headers.get("etag") ?? "" }).end(await answer.text());
    });
    const { code, out, err } = await muster(["chat", "helper", "--message", "Hi"], onServer(proxy));
    assert.deepEqual([code, out], [3, "Half\n"]);
    assert.match(err, /CANNOT_REACH_SERVER/);
  });
});

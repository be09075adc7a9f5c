import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { serve } from "@muster/testing";
import { describe, test } from "vitest";
import { helper, makeFolder } from "../test/support/folders.ts";
import { muster } from "../test/support/muster.ts";
import { onlineCommands } from "../test/support/online-commands.ts";

const key = "svc_sk_secret0123456789";
const onServer = (url: string) => ({ env: { MUSTER_URL: url, MUSTER_API_KEY: key } });

describe("failures of the command", () => {
  test("every command reports a missing server and exits with 3, also with --json", async (t) => {
    const cwd = await makeFolder(t, helper);
    const gone = { ...onServer("http://127.0.0.1:1"), cwd };
    for (const args of onlineCommands) {
      const { code, out, err } = await muster([...args, "--json"], gone);
      assert.equal(code, 3, args.join(" "));
      assert.match(JSON.stringify(JSON.parse(out)), /Cannot reach Muster at http:\/\/127\.0\.0\.1:1/);
      assert.ok(!(out + err).includes(key));
    }
  });

  test("the error for an unreachable server states the reason", async (t) => {
    const url = await serve(t, (_, reply) => reply.end("{}"));
    const closed = await new Promise<string>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const address = server.address();
        const port = typeof address === "object" ? address?.port : undefined;
        server.close(() => resolve(`http://127.0.0.1:${port}`));
      });
    });
    const reasons: Array<[string, RegExp]> = [
      [closed, /connection refused/],
      ["http://127.0.0.1:1", /connection refused/],
      [url.replace("http", "https"), /does not use TLS \(try http:/],
    ];
    for (const [address, reason] of reasons) {
      const { code, err } = await muster(["models"], onServer(address));
      assert.equal(code, 3);
      assert.match(err, reason);
    }
  });

  test("an invalid key or address is a usage error, and the key is never printed", async () => {
    const wrong = [{ MUSTER_API_KEY: "" }, { MUSTER_API_KEY: "svc two" }, { MUSTER_API_KEY: "svc\nthree" }];
    for (const env of wrong) {
      const { code, err } = await muster(["agents", "list"], { env });
      assert.equal(code, 2);
      assert.match(err, /MUSTER_API_KEY/);
      assert.ok(!err.includes("svc"));
    }
    for (const url of ["nonsense", "ftp://x", "http://user:pass@x"]) {
      const { code, err } = await muster(["agents", "list", "--url", url], { env: { MUSTER_API_KEY: key } });
      assert.equal(code, 2, url);
      assert.match(err, /valid server address/);
    }
  });

  test("the command rejects servers that are not Muster: web pages, redirects, partial responses, unexpected JSON", async (t) => {
    const answers: Array<[RequestListener, RegExp]> = [
      [(_, reply) => reply.end("<html>Welcome</html>"), /not JSON.*UNEXPECTED_RESPONSE/s],
      [(_, reply) => reply.writeHead(404).end("<html>"), /is not a Muster server: .* status 404.*MUSTER_URL/],
      [(_, reply) => reply.end("[]"), /not compatible with this command/],
      [(_, reply) => reply.end('{"agents":[{"id":1}]}'), /"id" is missing or has the wrong type/],
      [
        (_, reply) => reply.writeHead(302, { location: "https://elsewhere.example/" }).end(),
        /redirects to https:\/\/elsewhere/,
      ],
      [(_, reply) => reply.writeHead(502).end("Bad gateway"), /status 502.*HTTP_502/s],
      [(_, reply) => reply.socket?.destroy(), /the connection was lost/],
      [
        (_, reply) =>
          reply.writeHead(200, { "content-length": "100" }).write("{", () => reply.socket?.destroy()),
        /connection/,
      ],
    ];
    for (const [listener, message] of answers) {
      const { code, err } = await muster(["agents", "list"], onServer(await serve(t, listener)));
      assert.equal(code, 3, err);
      assert.match(err, message);
    }
  });

  test("an error of the server is shown with its code, its request id and every issue", async (t) => {
    const body = {
      error: "Some fields are wrong.",
      code: "INVALID_REQUEST",
      requestId: "req_7",
      issues: [{ path: "settings.name", message: "is too long" }],
    };
    const url = await serve(t, (_, reply) => reply.writeHead(400).end(JSON.stringify(body)));
    const { code, out, err } = await muster(["agents", "list", "--json"], onServer(url));
    assert.equal(code, 1);
    assert.equal(
      err,
      "Error: Some fields are wrong. (INVALID_REQUEST, req_7)\n  settings.name: is too long\n",
    );
    assert.deepEqual(JSON.parse(out), { ...body, status: 400 });
  });

  test("a wrong command line exits with 2, and help exits with 0", async () => {
    for (const args of [
      [],
      ["nonsense"],
      ["agents"],
      ["agents", "list", "extra"],
      ["agents", "list", "--nonsense"],
      ["chat"],
    ]) {
      const { code, out, err } = await muster(args);
      assert.deepEqual([code, out], [2, ""], args.join(" "));
      assert.match(
        err,
        args.length === 0 || args[0] === "agents" ? /./ : /^Run "muster .*--help" for usage/m,
      );
    }
    assert.match((await muster(["agents", "pull"])).err, /^Run "muster agents pull --help" for usage\.$/m);
    assert.deepEqual(
      JSON.parse((await muster(["agents", "list", "--nonsense", "--json"])).out).code,
      "USAGE",
    );
    for (const args of [["--help"], ["help"], ["agents", "push", "--help"], ["--version"]]) {
      const { code, out, err } = await muster(args);
      assert.deepEqual([code, err], [0, ""], args.join(" "));
      assert.ok(out.length > 0);
      assert.equal((await muster([...args, "--json"])).out, out, "help is text");
    }
    assert.match((await muster(["help", "agents", "push"])).out, /^Usage: muster agents push/);
  });
});

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testCertificate } from "@muster/guarded-fetch/testing";
import { freePort, temporaryDirectory, until } from "@muster/testing";
import { test } from "vitest";
import { connect } from "./support/connect.ts";
import { type Platform, startPlatform } from "./support/platform.ts";
import { startComputer } from "./support/start-computer.ts";
import { startTunnelProxy } from "./support/tunnel-proxy.ts";

/** A name that only the proxy can resolve. */
function named(platform: Platform, name: string): string {
  return platform.url.replace("127.0.0.1", name);
}

test("a computer connects over https through HTTPS_PROXY as its user, and its commands find the proxy, too", async (t) => {
  const folder = await temporaryDirectory(t);
  const ca = join(folder, "ca.pem");
  await writeFile(ca, testCertificate.cert);
  const platform = await startPlatform(t, testCertificate);
  const proxy = await startTunnelProxy(t);
  const url = named(platform, "files.example");
  const HTTPS_PROXY = `http://ada:p%40ss@${proxy.host}`;
  const computer = await startComputer(t, { url }, { env: { HTTPS_PROXY, NODE_EXTRA_CA_CERTS: ca } });
  await platform.connected();
  assert.equal(platform.headers.authorization, "Bearer svc_cmp_test");
  const { port } = new URL(url);
  const authorization = `Basic ${Buffer.from("ada:p@ss").toString("base64")}`;
  assert.deepEqual(proxy.asked, [{ target: `files.example:${port}`, authorization }]);
  assert.deepEqual(await platform.run("a", 'echo "$HTTPS_PROXY"'), {
    result: { exitCode: 0, stdout: `${HTTPS_PROXY}\n`, stderr: "" },
  });
  await until("it says so", () => computer.printed().includes(`${url} through the proxy ${proxy.host} as`));
  assert.doesNotMatch(computer.printed().replace(/\| .*/g, ""), /p%40ss|p@ss/);
  computer.child.kill("SIGTERM");
  assert.equal(await computer.ended, 0);
});

test("a certificate of another server is refused through a proxy", async (t) => {
  const platform = await startPlatform(t, testCertificate);
  const proxy = await startTunnelProxy(t);
  const env = { https_proxy: proxy.host };
  const { lines } = await connect(t, { platform, url: named(platform, "muster.example"), env });
  await until("it has tried", () => lines.length > 0);
  assert.match(lines[0] ?? "", /^Not connected: .*(certificate|self.signed)/i);
  assert.equal(platform.connections, 0);
});

test("a computer returns through the proxy, also after that has failed", async (t) => {
  const platform = await startPlatform(t);
  const proxy = await startTunnelProxy(t);
  const env = { HTTP_PROXY: `http://${proxy.host}` };
  await connect(t, { platform, url: named(platform, "muster.example"), env });
  await platform.connected();
  proxy.status = 502;
  proxy.cut();
  await until("it has tried again", () => proxy.asked.length > 1);
  proxy.status = 200;
  await until("it is connected again", () => platform.connections === 2);
});

test("a proxy that refuses ends the command with its reason, and one that is not there does not", async (t) => {
  const proxy = await startTunnelProxy(t);
  const url = "http://muster.example:8080";
  const cases: Array<[number, string, RegExp]> = [
    [407, "http://", /^The proxy 127\.0\.0\.1:\d+ asks for a user: .* http:\/\/user:password@127/],
    [407, "http://ada:secret@", /^The proxy 127\.0\.0\.1:\d+ does not accept its user and password: /],
    [
      403,
      "http://",
      /^The proxy \S+ refuses a connection to muster\.example:8080 with the status 403\. Have it/,
    ],
  ];
  for (const [status, before, message] of cases) {
    proxy.status = status;
    const { ended } = await connect(t, { url, env: { HTTP_PROXY: before + proxy.host } });
    const said = (await ended)?.message ?? "";
    assert.match(said, message);
    assert.doesNotMatch(said, /secret/);
  }
  const { lines } = await connect(t, { url, env: { HTTP_PROXY: `127.0.0.1:${await freePort()}` } });
  await until("it has tried", () => lines.length > 0);
  assert.match(
    lines[0] ?? "",
    /^Not connected: the proxy 127\S+ cannot be used: connect ECONNREFUSED .* Trying/,
  );
});

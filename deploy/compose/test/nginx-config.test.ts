import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gatewayDefaults } from "@muster/gateway";
import { describe, expect, test } from "vitest";
import { folder, readComposeFile } from "./support/compose-file.ts";
import { makeEnv } from "./support/env-file.ts";
import { localProxyConfig, proxyConfig } from "./support/local-proxy.ts";
import { directivesNamed, parseNginxConfig } from "./support/nginx-config.ts";
import { readSettings } from "./support/settings.ts";

const directives = parseNginxConfig(proxyConfig);
const { services } = readComposeFile(makeEnv());

/** The values of the only directive of that name. */
function only(name: string): string[] {
  const [directive, ...more] = directivesNamed(name, directives);
  assert.ok(directive && more.length === 0, `there is one ${name}`);
  return directive.values;
}

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600 };

function seconds(name: string, from = directives): number {
  const [directive] = directivesNamed(name, from);
  const [, count, unit = ""] = /^(\d+)([smh])$/.exec(directive?.values[0] ?? "") ?? [];
  return Number(count) * (unitSeconds[unit] ?? Number.NaN);
}

describe("the proxy's configuration", () => {
  test("nothing is buffered or stored on the way, and connections to the gateways stay open", () => {
    for (const name of ["proxy_buffering", "proxy_request_buffering", "proxy_cache", "gzip"])
      assert.deepEqual(only(name), ["off"]);
    assert.deepEqual(only("proxy_http_version"), ["1.1"]);
    const headers = directivesNamed("proxy_set_header", directives).map(({ values }) => values);
    expect(headers).toContainEqual(["Connection", "$hop"]);
    const [upstream] = directivesNamed("upstream", directives);
    expect(upstream?.inside.map(({ name }) => name)).toEqual(expect.arrayContaining(["keepalive", "zone"]));
  });

  test("a WebSocket is passed on, and no other upgrade", () => {
    const headers = directivesNamed("proxy_set_header", directives).map(({ values }) => values);
    expect(headers).toContainEqual(["Upgrade", "$upgrade"]);
    const maps = directivesNamed("map", directives).map(({ values, inside }) => [
      values,
      Object.fromEntries(inside.map(({ name, values: [value] }) => [name, value])),
    ]);
    assert.deepEqual(maps, [
      [["$http_upgrade", "$upgrade"], { default: "", websocket: "websocket" }],
      [["$upgrade", "$hop"], { default: "", websocket: "upgrade" }],
    ]);
  });

  test("requests go to every instance of the gateway, also to those that start later", () => {
    const port = readSettings("gateway", services.gateway?.environment ?? {}).listen.port;
    const [upstream] = directivesNamed("upstream", directives);
    const servers = upstream?.inside
      .filter(({ name }) => name === "server")
      .map(({ values }) => values.slice(0, 2));
    assert.deepEqual(servers, [[`gateway:${port}`, "resolve"]]);
    assert.deepEqual(only("proxy_pass"), [`http://${upstream?.values[0]}`]);
    assert.equal(only("resolver")[0], "127.0.0.11");
  });

  test("it listens on the port that compose.yaml publishes, and writes only to the temporary folder", () => {
    assert.equal(only("listen")[0], services.proxy?.ports[0]?.split(":").at(-1));
    const paths = directives
      .flatMap((each) => [each, ...each.inside])
      .filter(({ name }) => /_path$|^pid$/.test(name));
    assert.ok(paths.length > 4);
    for (const { name, values } of paths) assert.match(values[0] ?? "", /^\/tmp\//, name);
  });

  test("its workers fit into the memory of its container on any host, and may open a file for each connection", () => {
    const [count, connections] = [only("worker_processes"), only("worker_connections")].map(Number);
    // nginx takes 232 bytes for each connection and 96 for each of its two events, all at its start.
    const mebibytes = (Number(count) * Number(connections) * (232 + 2 * 96)) / 1_048_576;
    const [, limit] = /^(\d+)M$/.exec(services.proxy?.deploy.resources.limits.memory ?? "") ?? [];
    assert.ok(mebibytes * 4 < Number(limit), "`auto` is one worker for each core of the host");
    assert.ok(Number(only("worker_rlimit_nofile")) > Number(connections));
  });

  test("clients cannot choose the address that the gateways see", () => {
    const headers = directivesNamed("proxy_set_header", directives).map(({ values }) => values);
    expect(headers).toContainEqual(["X-Forwarded-For", "$remote_addr"]);
    expect(headers).toContainEqual(["X-Forwarded-Proto", "$scheme"]);
  });

  test("it is more patient than the gateways, and closes idle connections before they do", () => {
    const { heartbeatMs, firstEventTimeoutMs, drainTimeoutMs } = gatewayDefaults.streams;
    assert.ok(seconds("proxy_read_timeout") * 1_000 > Math.max(heartbeatMs, firstEventTimeoutMs) * 2);
    assert.ok(seconds("send_timeout") * 1_000 > drainTimeoutMs);
    const [upstream] = directivesNamed("upstream", directives);
    // The gateways close connections that are idle for 75 s.
    assert.ok(seconds("keepalive_timeout", upstream?.inside) < 75);
  });

  test("it passes on every body that the gateways accept, and somewhat larger ones, which they refuse themselves", () => {
    const [, mebibytes] = /^(\d+)m$/.exec(only("client_max_body_size")[0] ?? "") ?? [];
    assert.ok(Number(mebibytes) > 10);
  });

  test("its own errors have the body, the codes and the headers of the product", () => {
    const errors = readFileSync(join(folder, "../../docs/errors.md"), "utf8");
    const answers = directivesNamed("location", directives).flatMap(({ inside }) => {
      const [status, body] = inside.find(({ name }) => name === "return")?.values ?? [];
      return status && body ? [{ status, body: JSON.parse(body), inside }] : [];
    });
    assert.equal(answers.length, 6);
    for (const { status, body, inside } of answers) {
      assert.deepEqual(Object.keys(body), ["error", "code", "requestId"]);
      assert.ok(
        errors.includes(`| ${status} | \`${body.code}\``),
        `${status} ${body.code} is in docs/errors.md`,
      );
      const headers = directivesNamed("add_header", inside).map(({ values: [name] }) => name);
      assert.deepEqual(headers, ["X-Request-Id", ...(status === "503" ? ["Retry-After"] : [])]);
    }
  });
});

test("the local configuration differs only in addresses and folders", () => {
  const local = localProxyConfig({
    port: 4711,
    gateways: ["127.0.0.1:1", "127.0.0.1:2"],
    directory: "/work",
  });
  const before = directivesNamed("location", directives);
  assert.deepEqual(directivesNamed("location", parseNginxConfig(local)), before);
  assert.doesNotMatch(local, /gateway:8080|127\.0\.0\.11\b|\/tmp\//);
});

describe("the parser of nginx configurations", () => {
  test("comments, quotes, nested blocks and escaped quotes are understood", () => {
    assert.deepEqual(parseNginxConfig(`a 1 "b c"; # x; {\nd e { f 'g;\\'h'; }`), [
      { name: "a", values: ["1", "b c"], inside: [] },
      { name: "d", values: ["e"], inside: [{ name: "f", values: ["g;\\'h"], inside: [] }] },
    ]);
  });

  test.each(["a", "a {", "}", "a { b }", ";", "a } ;", "'a"])("%s is refused", (text) => {
    assert.throws(() => parseNginxConfig(text));
  });
});

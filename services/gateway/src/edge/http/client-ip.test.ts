import assert from "node:assert/strict";
import Fastify from "fastify";
import { describe, test } from "vitest";
import { clientKey, isNetwork, trustIn } from "./client-ip.ts";

describe("networks", () => {
  const good = [
    "10.0.0.0/8",
    "10.1.2.3",
    "192.0.2.1/32",
    "::1",
    "fd00::/8",
    "2001:db8::/128",
    "::ffff:10.0.0.0/104",
  ];
  const bad = [
    ...["", "10.0.0.0/", "10.0.0.0/0", "::/0", "10.0.0.0/33", "fd00::/129", "10.0.0.0/8/8", "10.0.0.0/-1"],
    ...[
      "10.0.0.0/08",
      "10.0.0/8",
      "010.0.0.1",
      "1",
      "loopback",
      "localhost",
      "*",
      "10.0.0.0/255.0.0.0",
      "fe80::1%eth0",
    ],
  ];
  for (const text of good) {
    test(`${text} is a network`, () => {
      assert.ok(isNetwork(text));
      assert.notEqual(trustIn([text]), false);
    });
  }
  for (const text of bad)
    test(`${JSON.stringify(text)} is not a network`, () => assert.equal(isNetwork(text), false));
});

describe("trust", () => {
  const cases: Array<[networks: string[], address: string, isTrusted: boolean]> = [
    [["10.0.0.0/8"], "10.255.0.1", true],
    [["10.0.0.0/8"], "11.0.0.1", false],
    [["10.0.0.0/8"], "::ffff:10.0.0.1", true],
    [["10.0.0.0/8"], "10.0.0.1:443", true],
    [["10.0.0.0/8", "fd00::/8"], "[fd12::1]:443", true],
    [["10.0.0.0/8", "fd00::/8"], "2001:db8::1", false],
    [["0.0.0.1"], "1", false],
    [["10.0.0.0/8"], "", false],
    [["10.0.0.0/8"], "10.0.0.1, 10.0.0.2", false],
  ];
  for (const [networks, address, isTrusted] of cases) {
    test(`the network list ${networks} ${isTrusted ? "contains" : "does not contain"} ${JSON.stringify(address)}`, () => {
      const trust = trustIn(networks) || (() => assert.fail("trusts nobody"));
      assert.equal(trust(address), isTrusted);
    });
  }

  for (const [peer, networks, expected] of [
    ["trusted", ["127.0.0.1/32", "10.0.0.0/8"], { host: "shop.example", protocol: "https", ip: "192.0.2.1" }],
    ["untrusted", ["10.0.0.0/8"], { protocol: "http", ip: "127.0.0.1" }],
    ["unconfigured", [], { protocol: "http", ip: "127.0.0.1" }],
  ] as const) {
    test(`forwarded host, protocol and address count only from a trusted proxy: ${peer} proxy`, async (t) => {
      const app = Fastify({ trustProxy: trustIn(networks) });
      app.get("/", async ({ host, protocol, ip }) => ({ host, protocol, ip }));
      t.onTestFinished(() => app.close());
      const url = await app.listen({ host: "127.0.0.1", port: 0 });
      const headers = {
        "x-forwarded-host": "evil.example, shop.example",
        "x-forwarded-proto": "https",
        "x-forwarded-for": "8.8.8.8, 192.0.2.1, 10.0.0.1",
      };
      const answer: unknown = await (await fetch(url, { headers })).json();
      const own = { host: url.replace("http://", "") };
      assert.deepEqual(answer, { ...expected, ...(peer === "trusted" ? {} : own) });
    });
  }
});

describe("the key that a client is counted under", () => {
  const cases: Array<[ip: string | undefined, peer: string | undefined, key: string]> = [
    ["192.0.2.1", "10.0.0.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "10.0.0.1", "192.0.2.1"],
    ["192.0.2.1:80", "10.0.0.1", "192.0.2.1"],
    ["2001:DB8:0:1:2:3:4:5", "10.0.0.1", "2001:db8:0:1::"],
    ["[2001:db8:0:1::9]", "10.0.0.1", "2001:db8:0:1::"],
    ["fe80::1%eth0", "10.0.0.1", "fe80::"],
    ["::1", undefined, "::"],
    ["unknown", "10.0.0.1", "10.0.0.1"],
    ["999.1.1.1", "10.0.0.1", "10.0.0.1"],
    ["[]:1", "10.0.0.1", "10.0.0.1"],
    [undefined, undefined, ""],
  ];
  for (const [ip, peer, key] of cases) {
    test(`the client ${ip} through ${peer} counts as ${JSON.stringify(key)}`, () =>
      assert.equal(clientKey(ip, peer), key));
  }
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { isPublicAddress } from "./is-public-address.ts";

const publicOnes = [
  "1.1.1.1",
  "93.184.216.34",
  "172.32.0.1",
  "100.128.0.1",
  "2606:4700::1111",
  "2a00:1450:4001::200e",
];

const otherOnes: Record<string, readonly string[]> = {
  "this machine": ["127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::1", "::"],
  "private networks": [
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "fc00::1",
    "fd00:ec2::254",
    "fec0::1",
  ],
  "the local link": ["169.254.169.254", "fe80::1", "fe80::1%eth0"],
  "carrier-grade NAT": ["100.64.0.1", "100.100.100.200", "100.127.255.255"],
  "multicast and broadcast": ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"],
  "reserved ranges": [
    "192.0.0.192",
    "192.0.2.1",
    "198.18.0.1",
    "203.0.113.7",
    "240.0.0.1",
    "2001:db8::1",
    "3fff::1",
    "100::1",
  ],
  "IPv4 in IPv6": [
    "::127.0.0.1",
    "::7f00:1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
  ],
  "NAT64, 6to4 and Teredo": ["64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::"],
  "a host's own metadata service": ["168.63.129.16"],
  "not addresses": [
    "",
    "localhost",
    "2130706433",
    "0x7f000001",
    "127.1",
    "017700000001",
    "1.1.1.1.",
    "1.1.1.1%1",
    "[::1]",
  ],
};

for (const address of publicOnes) {
  test(`${address} is public`, () => {
    assert.equal(isPublicAddress(address), true);
  });
}

for (const [name, addresses] of Object.entries(otherOnes)) {
  for (const address of addresses) {
    test(`${address || "the empty string"} is not public (${name})`, () => {
      assert.equal(isPublicAddress(address), false);
    });
  }
}

test("no IPv6 address that embeds an IPv4 address in a known way is public", () => {
  const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
  fc.assert(
    fc.property(
      fc.constantFrom("::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"),
      group,
      group,
      (prefix, high, low) => {
        assert.equal(isPublicAddress(`${prefix}${high}:${low}`), false);
      },
    ),
  );
});

import assert from "node:assert/strict";
import { test } from "vitest";
import { targetOf } from "./target-of.ts";

const accepted: Array<[string[], string]> = [
  [["127.0.0.1:1"], "ipv4:127.0.0.1:1"],
  [["10.0.0.1:1", "10.0.0.2:1"], "ipv4:10.0.0.1:1,10.0.0.2:1"],
  [["[::1]:1", "[::2]:2"], "ipv6:[::1]:1,[::2]:2"],
  [["localhost:8080"], "muster-name:///localhost:8080"],
  [["sessions.muster.svc:50051"], "muster-name:///sessions.muster.svc:50051"],
  [["dns:///sessions:50051"], "muster-name:///sessions:50051"],
  [["dns:sessions:50051"], "muster-name:///sessions:50051"],
  [["dns:///10.0.0.1:1"], "ipv4:10.0.0.1:1"],
  [["unix:/tmp/socket"], "unix:/tmp/socket"],
];
for (const [addresses, target] of accepted) {
  test(`the address list ${addresses.join(", ")} becomes ${target}`, () =>
    assert.equal(targetOf(addresses), target));
}

for (const addresses of [
  [],
  ["a:1", "b:1"],
  ["127.0.0.1:1", "[::1]:1"],
  ["127.0.0.1"],
  ["dns:///a:1", "b:1"],
  ["dns:///a"],
  ["dns://10.0.0.53/a:1"],
]) {
  test(`the address list ${addresses.join(", ") || "without entries"} is refused`, () =>
    assert.throws(() => targetOf(addresses), /address/));
}

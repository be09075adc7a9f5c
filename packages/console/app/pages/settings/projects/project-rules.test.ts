import assert from "node:assert/strict";
import { test } from "vitest";
import { hostLines, hostsIn, ruleLines, rulesIn } from "./project-rules.ts";

test("rules of approval survive their lines, also of names with a colon", () => {
  const rules = { refund: "ask", "crm:*": "deny" } as const;
  assert.deepEqual(rulesIn(ruleLines(rules)), rules);
});

test("a rule without a demand is sent, so that the server refuses it", () => {
  assert.deepEqual(rulesIn(" refund \n\n pay: "), { refund: "", pay: "" });
});

test("hosts with ports survive their lines, and only the last word makes one untrusted", () => {
  const hosts = [
    { host: "10.0.0.7:8080", untrusted: false },
    { host: "untrusted.example.com", untrusted: true },
  ];
  assert.deepEqual(hostsIn(hostLines(hosts)), hosts);
});

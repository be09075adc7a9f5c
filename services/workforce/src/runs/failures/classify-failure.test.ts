import assert from "node:assert/strict";
import { Code, Reason } from "@muster/rpc";
import { streamErrorTypes } from "@muster/wire/error-codes";
import { test } from "vitest";
import { failureTypes } from "../../store/thread-document.ts";
import { type Breakage, classifyFailure } from "./classify-failure.ts";

const turn = {
  at: "turn",
  event: { errorType: "provider_error", source: "provider", message: "It broke." },
} as const;
const session = {
  at: "session",
  failure: { reason: Reason.UNAVAILABLE, code: Code.Unavailable, message: "Down." },
} as const;

const table: Array<[string, Breakage, string]> = [
  [
    "a limit of dollars or tokens",
    { at: "limit", reached: { type: "limit", reason: "Used up." } },
    "blocked limit",
  ],
  ["a limit of runs", { at: "limit", reached: { type: "billing", reason: "Used up." } }, "blocked billing"],
  [
    "a computer that is never reached",
    { at: "computer-start", isUnreachable: true },
    "failed computer_unreachable",
  ],
  ["a computer that does not start", { at: "computer-start", isUnreachable: false }, "failed platform"],
  ["a computer that is lost during the run", { at: "computer" }, "failed network"],
  ["a provider's error", turn, "failed provider"],
  [
    "a provider that limits the rate",
    { ...turn, event: { ...turn.event, errorType: "rate_limit_error" } },
    "failed provider",
  ],
  [
    "a provider that is overloaded",
    { ...turn, event: { ...turn.event, errorType: "provider_overloaded" } },
    "failed provider",
  ],
  [
    "a provider that times out",
    { ...turn, event: { ...turn.event, errorType: "provider_timeout" } },
    "failed timeout",
  ],
  [
    "a limit that is reached between two steps",
    {
      ...turn,
      event: { ...turn.event, source: "platform", errorType: "execution_error", code: "SPENDING_LIMIT" },
    },
    "blocked limit",
  ],
  [
    "a conversation that becomes too large",
    {
      ...turn,
      event: { ...turn.event, source: "platform", errorType: "execution_error", code: "PAYLOAD_TOO_LARGE" },
    },
    "failed session_too_large",
  ],
  [
    "a fault of the platform",
    { ...turn, event: { ...turn.event, source: "platform", errorType: "internal_error", code: "INTERNAL" } },
    "failed platform",
  ],
  [
    "an error that nobody knows",
    { ...turn, event: { ...turn.event, source: "platform", errorType: "unknown_error" } },
    "failed unknown",
  ],
  ["a refusal of the sessions service", session, "failed platform"],
  [
    "a conversation that is too large for a message",
    { ...session, failure: { ...session.failure, reason: Reason.TOO_LARGE } },
    "failed session_too_large",
  ],
  [
    "a turn whose events are gone",
    { ...session, failure: { ...session.failure, reason: Reason.EVENTS_GONE } },
    "failed transport",
  ],
  [
    "a call that times out",
    { ...session, failure: { reason: Reason.UNSPECIFIED, code: Code.DeadlineExceeded, message: "x" } },
    "failed timeout",
  ],
  ["a connection that keeps breaking", { at: "connection", hasBegun: true }, "failed transport"],
  ["a sessions service that never responds", { at: "connection", hasBegun: false }, "failed platform"],
  ["holders that die one after the other", { at: "holder" }, "failed transport"],
  ["a fault of the driver", { at: "driver" }, "failed platform"],
];

for (const [title, breakage, expected] of table) {
  test(`${title} is ${expected}`, () => {
    const { status, type, reason } = classifyFailure(breakage);
    assert.equal(`${status} ${type}`, expected);
    assert.match(reason, /^[A-Z].*\.$/);
  });
}

test("each type of the documentation has a row", () => {
  const seen = new Set(table.map(([, , expected]) => expected.split(" ")[1]));
  assert.deepEqual([...seen].sort(), [...failureTypes].sort());
});

test("every error of a turn has a type, and only limits block", () => {
  for (const errorType of streamErrorTypes) {
    for (const source of ["platform", "provider", "tool", "client"] as const) {
      const failure = classifyFailure({ at: "turn", event: { errorType, source, message: "It broke." } });
      assert.ok(failureTypes.includes(failure.type));
      assert.equal(failure.status, "failed");
    }
  }
});

test("the words of an error that was not thrown on purpose are not shown", () => {
  const failure = { reason: Reason.UNSPECIFIED, code: Code.Internal, message: "secret at 10.0.0.1" };
  assert.ok(!classifyFailure({ at: "session", failure }).reason.includes("secret"));
});

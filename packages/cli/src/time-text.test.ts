import assert from "node:assert/strict";
import { test } from "vitest";
import { timeText } from "./time-text.ts";

test("a time within thirty days is shown relative to now, any other as its date, and other texts unchanged", () => {
  const now = Date.parse("2030-01-31T12:00:00Z");
  const cases = {
    "2030-01-31T12:00:00.400Z": "now",
    "2030-01-31T11:59:20Z": "40 sec ago",
    "2030-01-31T11:57:30Z": "2 min ago",
    "2030-01-31T14:00:00Z": "in 2 hr",
    "2030-01-29T12:00:00Z": "2 days ago",
    "2029-12-31T23:00:00Z": "2029-12-31",
    "2030-01-01T13:00:00Z": "29 days ago",
    never: "never",
  };
  for (const [iso, shown] of Object.entries(cases)) assert.equal(timeText(iso, now), shown, iso);
});

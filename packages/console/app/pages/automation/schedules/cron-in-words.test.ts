import assert from "node:assert/strict";
import { test } from "vitest";
import { cronInWords } from "./cron-in-words.ts";

test.each([
  ["0 9 * * 1-5", "at 09:00, Monday to Friday"],
  ["*/15 * * * *", "every 15 minutes"],
  ["30 8,17 * * *", "at 08:30 and 17:30, every day"],
  ["5 * * * SUN", "every hour at minute 5, Sunday"],
  ["0 0 1 1,7 *", "at 00:00, on day 1 of the month, in January and July"],
  ["0 6 1 * 1", "at 06:00, on day 1 of the month or Monday"],
  ["0 9-17 * * *", "at minute 0 of hours 9 to 17, every day"],
  ["0 */2 * * *", "every 2 hours at minute 0"],
])("%s is said as a user says it", (cron, words) => {
  assert.equal(cronInWords(cron), words);
});

test.each(["", "0 9 * *", "0 25 * * *", "0 9 * * 9", "0 9 L * *", "@daily", "0 17-9 * * *"])(
  "%s, which the server refuses or words would hide, has none",
  (cron) => {
    assert.equal(cronInWords(cron), undefined);
  },
);

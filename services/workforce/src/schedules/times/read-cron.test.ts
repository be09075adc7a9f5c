import assert from "node:assert/strict";
import { test } from "vitest";
import { readCron } from "./read-cron.ts";

const rows: Array<[string, string]> = [
  ["0 9 * * 1-5", "0 9 * * 1,2,3,4,5"],
  ["*/20 * * * *", "0,20,40 * * * *"],
  ["* * * * *", "* * * * *"],
  ["0 0-23 1-31 JAN-DEC SUN-SAT", "0 * * * *"],
  ["5-15/5 22,3 1 jan,6 0,7", "5,10,15 3,22 1 1,6 0"],
  ["0 0 * * 5-7", "0 0 * * 0,5,6"],
  ["0 0 29 2 *", "0 0 29 2 *"],
  ["0 0 31 2 MON", "0 0 31 2 1"],
  ["  0  0 * * *  ", "0 0 * * *"],
];
for (const [text, pattern] of rows) {
  test(`the expression "${text}" is read as "${pattern}"`, () => {
    assert.deepEqual(readCron(text), { pattern });
  });
}

const refused: Array<[string, number, RegExp]> = [
  ["", 1, /minute is missing/],
  ["0 9 * *", 8, /day of the week is missing; write five fields/],
  ["0 0 9 * * 1", 11, /seconds and years are not supported/],
  ["@daily", 1, /write 0 0 \* \* \*/],
  ["@reboot", 1, /write five fields/],
  ["0 0 L * *", 5, /L is not supported; write a day/],
  ["0 0 15W * *", 5, /W is not supported/],
  ["0 0 * * FRIL", 9, /L is not supported/],
  ["0 0 * * 1#2", 9, /# is not supported/],
  ["0 0 ? * *", 5, /\? is not supported; write \*/],
  ["0 0 31 2 *", 5, /does not occur/],
  ["0 0 1,31 4,JUNE *", 12, /month must be 1 to 12 or JAN to DEC/],
  ["0 0 31 4,6 *", 5, /does not occur in month 4, 6/],
  ["60 * * * *", 1, /minute must be 0 to 59; write numbers/],
  ["0,61 * * * *", 3, /minute must be 0 to 59/],
  ["0 22-6 * * *", 6, /write 22-23,0-6/],
  ["0 0 * * FRI-SUN", 13, /write 5-7/],
  ["0 0 * * SAT-SUN", 13, /write 6-7/],
  ["0 0 * NOV-JAN *", 11, /write 11-12,1/],
  ["5/15 * * * *", 2, /write 5-59\/15/],
  ["*/0 * * * *", 3, /number from 1 to 59/],
  ["*/60 * * * *", 3, /number from 1 to 59/],
  ["*/5/5 * * * *", 3, /number from 1 to 59/],
  ["1-2-3 * * * *", 4, /a range has only two ends/],
  ["1,,2 * * * *", 3, /minute must be/],
  ["-1 * * * *", 1, /minute must be/],
  ["0\t9 * * 1", 1, /minute must be/],
  ["1e1 * * * *", 1, /minute must be/],
  [`${"0,".repeat(120)}0 * * * *`, 201, /at most 200/],
];
for (const [text, position, problem] of refused) {
  test(`the expression "${text.slice(0, 40)}" is refused at character ${position}`, () => {
    const read = readCron(text);
    assert.ok("problem" in read, "it was read");
    assert.equal(read.position, position);
    assert.match(read.problem, problem);
  });
}

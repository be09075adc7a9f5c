import type { RunFacts, TimelineEvent } from "../src/index.ts";
import { TimelineBuilder } from "../test/support/timeline-builder.ts";

const task = "The nightly build fails since Friday. Find out why, repair it, and show that the tests pass.";

export const repairFacts: RunFacts = {
  agentName: "Otto",
  task,
  startedAtMs: Date.UTC(2026, 8, 14, 6, 2),
  endedAtMs: Date.UTC(2026, 8, 14, 6, 3, 37),
  status: "completed",
  model: "google/gemini-2.5-flash",
  usage: { costUsd: "0.0093", inputTokens: 22_406, outputTokens: 1_021 },
};

const esc = "\u001b";
const red = (text: string) => `${esc}[31m${text}${esc}[m`;
const green = (text: string) => `${esc}[32m${text}${esc}[m`;
const dim = (text: string) => `${esc}[2m${text}${esc}[m`;

function tests(failing: string[]): Array<readonly [number, string]> {
  const files = ["cart.test.js", "money.test.js", "invoice.test.js", "shipping.test.js", "tax.test.js"];
  const lines = files.map((file, index) => {
    const mark = failing.includes(file) ? red(`✗ ${file}`) : green(`✓ ${file}`);
    return [280, `${mark} ${dim(`${34 + index * 17} ms`)}\n`] as const;
  });
  const summary = failing.length === 0 ? green("5 passed") : `${red(`${failing.length} failed`)}, 3 passed`;
  return [...lines, [200, `\n${summary}\n`]];
}

/** A command that fails, a tool that does, and a repair. */
export function repairTimeline(): TimelineEvent[] {
  const run = new TimelineBuilder(task);
  run.step().pause(1400);
  run.say("I'll run the tests to see what fails.");
  run.run("cd ~/files/shop && ./test.sh", tests(["money.test.js", "invoice.test.js"]), 1);
  run.usage(2890, 120, 0.0012);
  run.step().pause(2100);
  run.say("`money` and `invoice` fail. Both use the rounding of `money.js`.");
  run.call(
    "files__read",
    { path: "/home/agent/files/shop/mony.js" },
    () => run.pause(60),
    "/home/agent/files/shop/mony.js does not exist.",
  );
  run.usage(5300, 240, 0.0023);
  run.step().pause(1700);
  run.say("A typo of mine. Once more, with the right name:");
  run.run("cat money.js", [
    [
      160,
      `export const round = (cents) => Math.floor(cents);\n${dim("// Friday: was Math.round")}\nexport const total = (prices) => round(prices.reduce((a, b) => a + b, 0));\n`,
    ],
  ]);
  run.usage(9120, 402, 0.0039);
  run.step().pause(2600);
  run.think("Math.floor loses half a cent for each position. The change of Friday is the cause.");
  run.say("Since Friday `round` cuts half cents off. I'll put `Math.round` back and run the tests again.");
  run.run("sed -i 's/Math.floor/Math.round/' money.js && ./test.sh", tests([]));
  run.usage(16_040, 760, 0.0068);
  run.step().pause(2300);
  run.say(
    "**The build is repaired.** On Friday `round` was changed to `Math.floor`, which lost half cents:\n\n1. `money.test.js` and `invoice.test.js` failed\n2. `Math.round` is back\n3. All **5** tests pass",
  );
  run.usage(22_406, 1021, 0.0093);
  run.end("completed");
  return run.events;
}

import type { RunFacts } from "../../src/run-facts.ts";
import type { TimelineEvent } from "../../src/timeline-event.ts";
import { TimelineBuilder } from "./timeline-builder.ts";

const task =
  "Checkout has been returning errors since 13:40. The logs are in ~/files. Find out which release broke it, and write a short incident report.";

export const incidentFacts: RunFacts = {
  agentName: "Lou",
  task,
  startedAtMs: Date.UTC(2026, 10, 22, 14, 5),
  endedAtMs: Date.UTC(2026, 10, 22, 14, 6, 42),
  status: "completed",
  model: "anthropic/claude-sonnet-4.5",
  usage: { costUsd: "0.0482", inputTokens: 31_204, outputTokens: 1_873 },
};

const esc = "\u001b";
const green = (text: string) => `${esc}[32m${text}${esc}[m`;
const red = (text: string) => `${esc}[31m${text}${esc}[m`;
const dim = (text: string) => `${esc}[2m${text}${esc}[m`;

function listing(): Array<readonly [number, string]> {
  const rows = [
    ["checkout.log", "4.1M"],
    ["gateway.log", "2.7M"],
    ["payments.log", "1.9M"],
    ["releases.csv", "1.2K"],
  ];
  const text = rows.map(
    ([name, size]) => `-rw-r--r-- 1 agent agent ${size} Nov 22 14:02 ${esc}[36m${name}${esc}[m\n`,
  );
  return [[240, `total 8.7M\n${text.join("")}`]];
}

function histogram(): Array<readonly [number, string]> {
  const bars: Array<[string, number]> = [
    ["13:30", 1],
    ["13:35", 2],
    ["13:40", 19],
    ["13:45", 33],
    ["13:50", 36],
    ["13:55", 34],
  ];
  return bars.map(([time, size]) => {
    const bar = (size > 10 ? red : green)("█".repeat(size));
    return [130, `${dim(time)} │${bar} ${size * 41}\n`] as const;
  });
}

function progress(): Array<readonly [number, string]> {
  const steps = Array.from({ length: 21 }, (_, index) => {
    const done = Math.round((index / 20) * 40);
    const bar = `${esc}[38;5;141m${"━".repeat(done)}${esc}[38;5;238m${"━".repeat(40 - done)}${esc}[m`;
    return [90, `\rreplaying ${bar} ${String(index * 5).padStart(3)}%`] as const;
  });
  return [
    ...steps,
    [60, `\n${green("✓")} 212 of 212 failed requests reproduced ${dim("日本語 · emoji 🚀 · ok ✅")}\n`],
  ];
}

/** A run as a user would show it to others: commands, files, thoughts, and an answer. */
export function incidentTimeline(): TimelineEvent[] {
  const run = new TimelineBuilder(task);
  run.step().pause(1800);
  run.think(
    "The user wants to know which release broke checkout. I should look at the files first, then count errors over time and compare that with the releases.",
  );
  run.say("I'll start with the files and see how the errors developed over time.");
  run.run("ls -lh ~/files", listing());
  run.usage(2104, 188, 0.0041);
  run.step().pause(2600);
  run.say("The checkout log is the one to look at. Let me count `5xx` answers in steps of five minutes.");
  run.run(
    `cd ~/files && grep -E ' 5[0-9]{2} ' checkout.log \\\n  | cut -c12-15 | sort | uniq -c \\\n  | awk '{ bar($2, $1) }'`,
    histogram(),
  );
  run.usage(5730, 402, 0.0104);
  run.step().pause(7400);
  run.say("Errors begin between 13:35 and 13:40. Now the releases of that hour.");
  run.call("files__read", { path: "/home/agent/files/releases.csv" }, () => {
    run.pause(60);
    const content =
      "time,service,version,author,change\n12:10,gateway,v91,mia,raise idle timeout\n13:05,payments,v40,tom,new currency table\n" +
      "13:38,checkout,v118,ana,retry declined payments\n13:52,search,v203,leo,index titles\n";
    return { path: "/home/agent/files/releases.csv", content, firstLine: 1, lastLine: 5, totalLines: 5 };
  });
  run.usage(9861, 655, 0.0172);
  run.step().pause(3100);
  run.think(
    "checkout v118 at 13:38 fits. I should prove it by replaying the failed requests against v117 and v118.",
  );
  run.say(
    "`checkout v118` went out at **13:38**, two minutes before the first error. I'll verify that by replaying the failed requests.",
  );
  run.run("./replay --release v118 --requests failed.jsonl", progress());
  run.run(
    "./replay --release v117 --requests failed.jsonl --quiet; grep -c TIMEOUT missing.log",
    [[900, `${red("error:")} missing.log: No such file or directory\n`]],
    2,
  );
  run.usage(16_020, 1011, 0.0291);
  run.step().pause(42_000);
  run.say("That settles it. I'll write the report.");
  run.call(
    "files__write",
    {
      path: "/home/agent/report.md",
      content:
        "# Incident: checkout errors, 22 November\n\n## Cause\nRelease checkout v118 (13:38, ana) retries declined payments\nwithout a limit. Each retry holds a database connection.\n\n## Effect\n5,002 requests failed between 13:40 and 14:00.\n\n## Next steps\n- [x] Roll back to v117\n- [ ] Limit retries to 3\n- [ ] Alert on pool use above 80 %\n",
    },
    () => {
      run.pause(80);
      return { path: "/home/agent/report.md", size: 402 };
    },
  );
  run.call("files__list", { path: "/home/agent" }, () => {
    run.pause(40);
    const entry = (path: string, size: number) => ({ path: `/home/agent/${path}`, type: "file", size });
    return {
      path: "/home/agent",
      entries: [
        { path: "/home/agent/files", type: "directory" },
        entry("report.md", 402),
        entry("missing.log", 0),
      ],
    };
  });
  run.usage(24_410, 1602, 0.0388);
  run.step().pause(2900);
  run.say(
    "**Release `checkout v118` broke it.** It went out at 13:38 and retries declined payments without a limit, so the connection pool ran dry:\n\n" +
      "1. Errors rose from 41 to 1,476 per five minutes\n2. All **212** failed requests fail again with v118\n3. None of them fails with v117\n\n" +
      "```sql\nSELECT count(*) FROM pool\nWHERE state = 'retrying'; -- 96 of 100\n```\n\nThe report is in `~/report.md`. I recommend rolling back to v117 first.",
  );
  run.usage(31_204, 1873, 0.0482);
  run.end("completed");
  return run.events;
}

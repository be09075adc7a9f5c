import type { Command } from "commander";
import type { Options } from "../../options.ts";
import { secondsOf } from "../../seconds.ts";

/** The options of a schedule that `create` and `update` share. */
export function addSettings(command: Command): Command {
  return command
    .option("--cron <fields>", "Five fields: minute, hour, day of the month, month, day of the week")
    .option("--at <time>", "Instead of --cron: run once, at a time such as 2026-12-01T09:00")
    .option("--timezone <name>", "An IANA name, such as Europe/Berlin")
    .option("--overlap <rule>", "skip or queue while the thread of the previous run has not ended")
    .option("--misfire <rule>", "skip or once for times at which no process was running")
    .option("--jitter <duration>", "A fixed delay of each run, of up to this duration; at most 60s");
}

/** Those that were given. */
export function settingsOf(options: Options) {
  const jitterS = secondsOf("jitter", options.text("jitter"));
  return {
    name: options.text("name"),
    cron: options.text("cron"),
    at: options.text("at"),
    timezone: options.text("timezone"),
    overlap: options.text("overlap"),
    misfire: options.text("misfire"),
    jitterMs: jitterS === undefined ? undefined : jitterS * 1_000,
  };
}

import type { Command } from "commander";
import { usageError } from "../exit.ts";
import { collect, type Options } from "../options.ts";

/** The options of the settings of runs. */
export function addSettingOptions(command: Command): Command {
  return command
    .option("--model <id>", "Model of the runs, provider/model-id")
    .option("--backup-model <id>", "Model if the first one fails")
    .option("--thinking <level>", "How much the model reasons: off, low, medium, high, xhigh, max or auto")
    .option(
      "--capability <NAME=STATE>",
      "Enable (NAME=on) or disable (NAME=off) a capability; repeatable",
      collect,
    )
    .option("--record", "Record a video of each run")
    .option("--no-record", "Record no video")
    .option("--public", "With --record: anyone with the link can watch; the link does not expire");
}

/** The settings that the command line names, without capabilities. */
export function settingsOf(options: Options): Record<string, string | boolean> {
  const names = ["model", "backupModel", "thinking"];
  const texts = names.flatMap((name): Array<[string, string]> => {
    const value = options.text(name);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(texts), ...recordingOf(options) };
}

function recordingOf(options: Options): Record<string, string | boolean> {
  const isPublic = options.flag("public");
  if (options.flag("record")) return { record: true, recordVisibility: isPublic ? "public" : "private" };
  if (isPublic) throw usageError("--public is for a recording. Add --record.");
  return options.isOff("record") ? { record: false } : {};
}

export function capabilitiesOf(options: Options): Record<string, boolean> {
  const pairs = options.texts("capability").map((pair): [string, boolean] => {
    const [, name, value] = /^([^=]+)=(on|off)$/.exec(pair) ?? [];
    if (name === undefined)
      throw usageError(
        `--capability must be NAME=on or NAME=off, such as web-search=off, not ${JSON.stringify(pair)}.`,
      );
    return [name, value === "on"];
  });
  return Object.fromEntries(pairs);
}

/** The options of the monthly limits of a workforce agent. */
export function addLimitOptions(command: Command, of: string): Command {
  return addRunsOption(addSpendingOptions(command, of), of);
}

/** The options of monthly limits of the use of models. `prefix`: of workforce agents alone. */
export function addSpendingOptions(command: Command, of: string, prefix: "" | "workforce-" = ""): Command {
  return command
    .option(`--${prefix}monthly-usd <amount>`, `US dollars that ${of} may use in a month; none for no limit`)
    .option(`--${prefix}monthly-tokens <number>`, `Tokens that ${of} may use in a month; none for no limit`);
}

export function addRunsOption(command: Command, of: string, prefix: "" | "workforce-" = ""): Command {
  return command.option(`--${prefix}monthly-runs <number>`, `Runs of ${of} in a month; none for no limit`);
}

const amounts = {
  Usd: [/^\d{1,10}(\.\d{1,12})?$/, "an amount"],
  Tokens: [/^\d{1,15}$/, "a whole number"],
  Runs: [/^\d{1,9}$/, "a whole number"],
} as const;

/** The limits that the command line names; null removes one. `prefix`: of their names. */
export function limitsOf(
  options: Options,
  prefix: "monthly" | "workforceMonthly" | "subjectMonthly" = "monthly",
): Record<string, number | null> {
  const limits = Object.fromEntries(
    Object.entries(amounts).map(([unit, [pattern, what]]) => {
      const name = `${prefix}${unit}`;
      const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      return [name, amountOf(options, name, option, pattern, what)];
    }),
  );
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

type ApprovalRules = Readonly<Record<string, string>>;

/** The option of rules of approval. */
export function addApprovalOption(command: Command): Command {
  return command.option(
    "--approval <NAME=DEMAND>",
    "Ask for approval of (NAME=ask) or deny (NAME=deny) the calls of a tool, a namespace or a pattern; repeatable",
    collect,
  );
}

/** The present rules with those that the command line names, or undefined if it names none. `NAME=none` removes one. */
export function approvalsOf(options: Options, present: ApprovalRules = {}): ApprovalRules | undefined {
  const pairs = options.texts("approval").map((pair) => {
    const [, name, demand] = /^([^=]+)=(ask|deny|none)$/.exec(pair) ?? [];
    if (name !== undefined && demand !== undefined) return [name, demand] as const;
    const found = JSON.stringify(pair);
    throw usageError(
      `--approval must be NAME=ask, NAME=deny or NAME=none, such as refund=ask, not ${found}.`,
    );
  });
  if (pairs.length === 0) return undefined;
  const rules = { ...present, ...Object.fromEntries(pairs) };
  return Object.fromEntries(Object.entries(rules).filter(([, demand]) => demand !== "none"));
}

function amountOf(
  options: Options,
  name: string,
  flag: string,
  syntax: RegExp,
  expected: string,
): number | null | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  if (text === "none") return null;
  if (syntax.test(text)) return Number(text);
  throw usageError(`${flag} must be ${expected} from 0, or none.`);
}

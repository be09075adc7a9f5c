/** Why an expression cannot be used. */
export interface CronProblem {
  /** The place of the first wrong character, from 1. */
  position: number;
  /** A sentence that says what to write. */
  problem: string;
}

/** An expression in the form that the library reads. */
export interface Cron {
  pattern: string;
}

interface Field {
  name: string;
  min: number;
  max: number;
  /** The values from `min` as words. */
  names?: readonly string[];
  example: string;
}

const monthNames = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const dayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const fields = [
  { name: "minute", min: 0, max: 59, example: "0,30" },
  { name: "hour", min: 0, max: 23, example: "9-17" },
  { name: "day of the month", min: 1, max: 31, example: "1,15" },
  { name: "month", min: 1, max: 12, names: monthNames, example: "1-6" },
  // 7 is Sunday, too.
  { name: "day of the week", min: 0, max: 7, names: dayNames, example: "1-5" },
] as const satisfies readonly Field[];
const fieldNames = "minute, hour, day of the month, month, day of the week";

const maxLength = 200;
const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
/** Signs of other dialects, with what to write. */
const foreign: ReadonlyArray<[RegExp, string]> = [
  [/\?/, "? is not supported; write *"],
  [/#/, "# is not supported; write days, such as 1-7 for the first week of the month"],
  [/^(L|L-\d+|LW|\d+L|[A-Z]{3}L)$/i, "L is not supported; write a day, such as 28"],
  [/^\d+W$/i, "W is not supported; write days of the week, such as 1-5"],
];
/** The longest that each month can be. */
const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

class Refused extends Error {
  readonly position: number;

  constructor(position: number, problem: string) {
    super(problem);
    this.position = position;
  }
}

/** Reads five fields, and nothing else: lists, ranges, steps, and names of months and days. */
export function readCron(text: string): Cron | CronProblem {
  try {
    return { pattern: patternOf(text) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { position: error.position, problem: error.message };
  }
}

function patternOf(text: string): string {
  if (text.length > maxLength)
    throw new Refused(maxLength + 1, `an expression has at most ${maxLength} characters`);
  if (text.startsWith("@")) {
    const fieldsInstead = nicknames[text.toLowerCase()];
    throw new Refused(1, `names are not supported; write ${fieldsInstead ?? `five fields: ${fieldNames}`}`);
  }
  const words = [...text.matchAll(/[^ ]+/g)];
  const sixth = words[fields.length];
  if (sixth !== undefined)
    throw new Refused(
      sixth.index + 1,
      `write five fields: ${fieldNames}; seconds and years are not supported`,
    );
  const sets = fields.map((field, index) => {
    const word = words[index];
    if (word === undefined)
      throw new Refused(text.length + 1, `the ${field.name} is missing; write five fields: ${fieldNames}`);
    return valuesOf(field, word[0], word.index + 1);
  });
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = sets;
  const isEvery = { hour: hours.length === 24, day: days.length === 31, weekday: weekdays.length === 7 };
  if (isEvery.weekday && !months.some((month) => days.some((day) => day <= (daysInMonth[month - 1] ?? 0)))) {
    const problem = `day ${days.join(", ")} does not occur in month ${months.join(", ")}; write a day that the month has`;
    throw new Refused((words[2]?.index ?? 0) + 1, problem);
  }
  // The library follows elapsed time if it sees *, and otherwise the clock on the wall, which changes twice a year.
  return [
    isEvery.hour && minutes.length === 60 ? "*" : minutes.join(),
    isEvery.hour ? "*" : hours.join(),
    isEvery.day ? "*" : days.join(),
    months.length === 12 ? "*" : months.join(),
    isEvery.weekday ? "*" : weekdays.join(),
  ].join(" ");
}

/** The values of a field, in order. `at`: the position of its first character. */
function valuesOf(field: Field, word: string, at: number): number[] {
  const values = new Set<number>();
  let position = at;
  for (const item of word.split(",")) {
    for (const value of itemValues(field, item, position)) values.add(field.max === 7 ? value % 7 : value);
    position += item.length + 1;
  }
  return [...values].sort((a, b) => a - b);
}

function itemValues(field: Field, item: string, at: number): number[] {
  const { name, min, max } = field;
  const [range = "", step, ...more] = item.split("/");
  const stepAt = at + range.length + 1;
  const by = step === undefined ? 1 : /^\d{1,2}$/.test(step) ? Number(step) : 0;
  const [first, last] = rangeOf(field, range, at);
  if (step !== undefined && range !== "*" && !range.includes("-"))
    throw new Refused(at + range.length, `a step needs a range; write ${range}-${max}/${step}`);
  if (by < 1 || by > max - min || more.length > 0)
    throw new Refused(stepAt, `a step of the ${name} must be a number from 1 to ${max - min}`);
  return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, index) => first + index * by);
}

function rangeOf(field: Field, range: string, at: number): [number, number] {
  const { name, min, max } = field;
  if (range === "*") return [min, max === 7 ? 6 : max];
  const [from = "", to, ...more] = range.split("-");
  const first = numberOf(field, from, at, range);
  if (to === undefined) return [first, first];
  const lastAt = at + from.length + 1;
  if (more.length > 0)
    throw new Refused(lastAt + to.length, "a range has only two ends; separate ranges with commas");
  const last = numberOf(field, to, lastAt, to);
  if (last < first)
    throw new Refused(
      lastAt,
      `a range of the ${name} must not end before it begins; write ${around(field, first, last)}`,
    );
  return [first, last];
}

/** A range over the end of the day, the week or the year. */
function around({ min, max }: Field, first: number, last: number): string {
  if (max === 7 && last === 0) return `${first}-7`;
  const end = max === 7 ? 6 : max;
  return `${first === end ? end : `${first}-${end}`},${last === min ? min : `${min}-${last}`}`;
}

/** `whole`: the item up to its end, for signs that consist of several characters. */
function numberOf(
  { name, min, max, names = [], example }: Field,
  word: string,
  at: number,
  whole: string,
): number {
  const named = names.indexOf(word.toUpperCase());
  if (named >= 0) return min + named;
  const value = /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN;
  if (value >= min && value <= max) return value;
  const dialect = foreign.find(([sign]) => sign.test(whole))?.[1];
  const known = `the ${name} must be ${min} to ${max}${names.length > 0 ? ` or ${names[0]} to ${names.at(-1)}` : ""}`;
  throw new Refused(at, dialect ?? `${known}; write numbers, lists or ranges, such as ${example}, or *`);
}

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const months = [
  ...["", "January", "February", "March", "April", "May", "June", "July", "August", "September"],
  ...["October", "November", "December"],
];
const maxTimes = 6;

/** `0 9 * * 1-5` as "at 09:00, Monday to Friday". Undefined for what the server refuses or words would hide. */
export function cronInWords(cron: string): string | undefined {
  const [minute, hour, day, month, weekday, ...more] = cron.trim().split(/ +/);
  if (!minute || !hour || !day || !month || !weekday || more.length > 0) return undefined;
  const time = timeInWords(minute, hour);
  const onDay =
    day === "*" ? "" : phrase(listInWords(day, numberIn), (list) => `on day ${list} of the month`);
  const onWeekday = weekday === "*" ? "" : listInWords(weekday, nameIn(days));
  const inMonth = month === "*" ? "" : phrase(listInWords(month, nameIn(months)), (list) => `in ${list}`);
  if ([time, onDay, onWeekday, inMonth].includes(undefined)) return undefined;
  const dates = [onDay, onWeekday].filter(Boolean).join(" or ");
  return [time, dates === "" && time?.startsWith("at ") ? "every day" : dates, inMonth]
    .filter(Boolean)
    .join(", ");
}

function timeInWords(minute: string, hour: string): string | undefined {
  const [minuteStep, hourStep] = [stepOf(minute), stepOf(hour)];
  const hourList = hour === "*" ? "" : listInWords(hour, numberIn);
  if (minuteStep !== undefined) {
    const every = minuteStep === "1" ? "every minute" : `every ${minuteStep} minutes`;
    return hour === "*" ? every : phrase(hourList, (list) => `${every} of hours ${list}`);
  }
  const [hours, minutes] = [numbersIn(hour, 23), numbersIn(minute, 59)];
  if (minutes === undefined) return undefined;
  const at = `at minute ${listInWords(minute, numberIn)}`;
  if (hourStep !== undefined) return `every ${hourStep === "1" ? "hour" : `${hourStep} hours`} ${at}`;
  if (hours === undefined) return undefined;
  if (hours.length * minutes.length > maxTimes) return phrase(hourList, (list) => `${at} of hours ${list}`);
  const times = hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`));
  return `at ${joined(times)}`;
}

/** `*` is a step of 1. */
function stepOf(field: string): string | undefined {
  return field === "*" ? "1" : /^\*\/(\d{1,2})$/.exec(field)?.[1];
}

function phrase(list: string | undefined, say: (list: string) => string): string | undefined {
  return list === undefined ? undefined : say(list);
}

const two = (number: number) => String(number).padStart(2, "0");

/** The values of a list with ranges. */
function numbersIn(list: string, max: number): number[] | undefined {
  const values = list.split(",").flatMap((item) => {
    const [first = Number.NaN, last = first] = item.split("-").map(Number);
    return last >= first
      ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
      : [Number.NaN];
  });
  return values.every((value) => value >= 0 && value <= max) ? values : undefined;
}

type NameOf = (value: string) => string | undefined;

function nameIn(names: readonly string[]): NameOf {
  return (value) =>
    names.find((name, at) => String(at) === value || name.slice(0, 3).toUpperCase() === value.toUpperCase());
}

function listInWords(list: string, nameOf: NameOf): string | undefined {
  const items = list.split(",").map((item) => {
    const ends = item.split("-").map(nameOf);
    return ends.length <= 2 && ends.every((end) => end && /^\w+$/.test(end)) ? ends.join(" to ") : undefined;
  });
  return items.includes(undefined) ? undefined : joined(items);
}

function joined(items: readonly (string | undefined)[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

function numberIn(value: string): string | undefined {
  return /^\d{1,2}$/.test(value) ? value : undefined;
}

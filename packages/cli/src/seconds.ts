import { usageError } from "./exit.ts";

const unitSeconds = { s: 1, m: 60, h: 3_600 } as const;

/** The seconds of a duration such as `15m`; undefined if the option is not given. */
export function secondsOf(option: string, duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const [, digits = "", unit] = /^([1-9]\d{0,8})([smh])$/.exec(duration) ?? [];
  if (unit === "s" || unit === "m" || unit === "h") return Number(digits) * unitSeconds[unit];
  throw usageError(`--${option} must be a duration, such as 90s, 15m or 12h.`);
}

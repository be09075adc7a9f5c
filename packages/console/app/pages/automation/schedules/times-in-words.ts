import type { Schedule } from "@muster/client";
import { cronInWords } from "./cron-in-words.ts";

/** When it runs, with the zone: `At 09:00, Monday to Friday (UTC)`. */
export function timesInWords({ cron, at, timezone }: Pick<Schedule, "cron" | "at" | "timezone">): string {
  const words = cron === null ? `once, at ${at?.replace("T", " ")}` : (cronInWords(cron) ?? cron);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} (${timezone})`;
}

/** A time in the zone of its schedule: `Mon 30 Nov, 06:00`. */
export function timeIn(timezone: string, at: string): string {
  return new Date(at).toLocaleString("en-GB", {
    ...{ timeZone: timezone, weekday: "short", day: "numeric", month: "short" },
    ...{ hour: "2-digit", minute: "2-digit" },
  });
}

/** `0:42`, `12:05` or `1:02:03`. */
export function clockTime(ms: number): string {
  const seconds = Math.max(Math.floor(ms / 1000), 0);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** `0.4 s`, `42 s`, `3 min 20 s` or `2 h 5 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(ms, 0) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds) / 60;
  if (minutes < 60) return joined(Math.floor(minutes), "min", Math.round(seconds) % 60, "s");
  return joined(Math.floor(minutes / 60), "h", Math.floor(minutes) % 60, "min");
}

/** `$0.0123` for small amounts, `$1.25` for larger ones. Takes a decimal string or a number. */
export function dollars(cost: string | number): string {
  const value = Number(cost);
  if (!Number.isFinite(value) || value < 0) return "";
  if (value === 0) return "$0.00";
  if (value < 0.0001) return "< $0.0001";
  return value < 0.1 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`;
}

/** `1,234`. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** `22 Nov 2026, 14:05 UTC`. */
export function dateTime(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return "";
  const day = date.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
  return `${day}, ${date.toISOString().slice(11, 16)} UTC`;
}

/** `340 B`, `1.2 KB` or `3.4 MB`. */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${(size / 1000).toFixed(1)} KB` : `${(size / 1e6).toFixed(1)} MB`;
}

function joined(major: number, majorUnit: string, minor: number, minorUnit: string): string {
  return minor === 0 ? `${major} ${majorUnit}` : `${major} ${majorUnit} ${minor} ${minorUnit}`;
}

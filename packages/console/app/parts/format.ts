/** `$0.0172`, `$12.40`, `$1,240.00`: four digits where cents would hide everything. The API sends decimals as texts. */
export function money(usd: string | number | null | undefined): string {
  const amount = Number(usd ?? 0);
  if (amount > 0 && amount < 0.0001) return "< $0.0001";
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 4 : 2;
  return `$${amount.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** `$3.00`, `$0.0375`: a price without the zeros that say nothing. */
export function price(usd: string): string {
  return `$${Number(usd).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
}

/** `1.2 MB`. */
export function bytes(size: number): string {
  return `${compact.format(size).replace(/(?=[A-Z]$)|$/, " ")}B`;
}

/** `12.4k`. */
export function count(value: number | null | undefined): string {
  return compact.format(value ?? 0).toLowerCase();
}

/** `1 message`, `4 messages`. */
export function plural(number: number | string, noun: string): string {
  return `${number} ${noun}${Number(number) === 1 ? "" : "s"}`;
}

/** Made once: to make one takes longer than to render a row. */
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const instant = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium" });

/** `412 ms`, `4.2 s`, `3 min`, `2 h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} days`;
}

/** `2 min ago`, `in 3 h`. */
export function relative(at: string | Date, now = Date.now()): string {
  const ms = new Date(at).getTime() - now;
  if (Math.abs(ms) < 10_000) return "just now";
  const text = duration(Math.abs(ms)).replace(/\.\d/, "");
  return ms < 0 ? `${text} ago` : `in ${text}`;
}

/** `2026-11-27 14:02:11`, in the reader's time zone. */
export function exact(at: string | Date): string {
  return instant.format(new Date(at));
}

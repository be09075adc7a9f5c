import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

const styles: Readonly<Record<number, [name: string, style: Style]>> = {
  20: ["debug", "dim"],
  30: ["info ", "dim"],
  40: ["warn ", "yellow"],
  50: ["error", "red"],
  60: ["fatal", "red"],
};

/** A line of the log for a reader at a terminal: time, level, message, then the other fields as `name=value`. */
export function terminalLine(json: string): string {
  const { time, level, msg, name: _name, err, ...fields }: Record<string, unknown> = JSON.parse(json);
  const [levelName, style] = styles[Number(level)] ?? [String(level), "dim" as const];
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const rest = Object.entries(fields).map(
    ([field, value]) => `${styleText("dim", `${field}=`)}${shown(value)}`,
  );
  return `${[styleText("dim", clock), styleText(style, levelName), String(msg ?? ""), ...rest].join(" ")}\n${stackOf(err)}`;
}

function shown(value: unknown): string {
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function stackOf(err: unknown): string {
  if (typeof err !== "object" || err === null) return "";
  const text: unknown = Reflect.get(err, "stack") ?? Reflect.get(err, "message");
  return typeof text === "string" ? `  ${text.replaceAll("\n", "\n  ")}\n` : "";
}

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
    ([field, value]) => `${styleText("dim", `${printable(field)}=`)}${printable(shown(value))}`,
  );
  const parts = [styleText("dim", clock), styleText(style, printable(levelName)), messageOf(msg), ...rest];
  return `${parts.join(" ")}\n${printable(stackOf(err))}`;
}

/** On one line: a line break in it could pretend to be another line of the log. */
function messageOf(msg: unknown): string {
  return printable(String(msg ?? "")).replaceAll("\n", "\\n");
}

function shown(value: unknown): string {
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

/** Control characters, except tabs and line breaks, could change what the terminal shows, or send it commands. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it escapes them
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function stackOf(err: unknown): string {
  if (typeof err !== "object" || err === null) return "";
  const text: unknown = Reflect.get(err, "stack") ?? Reflect.get(err, "message");
  return typeof text === "string" ? `  ${text.replaceAll("\n", "\n  ")}\n` : "";
}

/** The first lines of a WebVTT file. */
export const vttHeader = "WEBVTT\n\n";

export interface Cue {
  startMs: number;
  endMs: number;
  /** Who speaks. */
  voice?: string;
  text: string;
}

/** A cue with the blank line that ends it. An empty text makes no cue. */
export function formatCue({ startMs, endMs, voice, text }: Cue): string {
  const payload = escapeVtt(text);
  if (payload === "") return "";
  const start = Math.max(Math.round(startMs), 0);
  const end = Math.max(Math.round(endMs), start + 1);
  const speaker = voice === undefined ? "" : `<v ${escapeVtt(voice).replace(/\s+/g, " ") || "Agent"}>`;
  return `${vttTime(start)} --> ${vttTime(end)}\n${speaker}${payload}\n\n`;
}

/** `00:01:02.345`. */
export function vttTime(ms: number): string {
  const pad = (value: number, length = 2) => String(value).padStart(length, "0");
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}:${pad(seconds % 60)}.${pad(ms % 1000, 3)}`;
}

/** Text that cannot end its cue, begin a tag or an entity, or hide a time: a blank line would end it. */
export function escapeVtt(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: no player shows them
      .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]+/g, " ")
      .replace(/[\u2028\u2029]/g, "\n")
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line) => line !== "")
      .join("\n")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
  );
}

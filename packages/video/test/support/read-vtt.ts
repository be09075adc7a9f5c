/** Reads WebVTT as a player does, and fails on what one would reject. */
export function readVtt(file: string): Array<{ startMs: number; endMs: number; text: string }> {
  const [header, ...blocks] = file.split(/\n{2,}/).filter((block) => block !== "");
  if (header !== "WEBVTT") throw new Error(`no WebVTT: ${header}`);
  return blocks
    .filter((block) => !block.startsWith("NOTE"))
    .map((block) => {
      const [times = "", ...lines] = block.split("\n");
      const [, start = "", end = ""] = /^([\d:.]+) --> ([\d:.]+)$/.exec(times) ?? [];
      return { startMs: msOf(start), endMs: msOf(end), text: lines.join("\n") };
    });
}

function msOf(time: string): number {
  const match = /^(\d{2,}):(\d\d):(\d\d)\.(\d{3})$/.exec(time);
  if (match === null) throw new Error(`no time: ${time}`);
  const [hours = 0, minutes = 0, seconds = 0, ms = 0] = match.slice(1).map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms;
}

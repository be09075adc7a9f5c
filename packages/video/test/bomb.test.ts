import { expect, test } from "vitest";
import { renderVideo } from "../src/child/render-video.ts";
import type { TimelineEvent } from "../src/timeline-event.ts";
import { eventAt, jobFor } from "./support/sample-run.ts";

const esc = "\u001b";
const pieces = [
  `${esc}[38;2;1;2;3m${esc}[999;999H${esc}[2J`,
  `${esc}]8;;http://example.com/${"a".repeat(500)}${esc}\\link${esc}]8;;${esc}\\`,
  `${esc}]0;${"title".repeat(50)}\u0007`,
  `${esc}[200~${"pasted".repeat(20)}${esc}[201~`,
  `a${"\u200d\u0301".repeat(300)}`,
  `${esc}[${"9;".repeat(200)}m${esc}P${"q".repeat(300)}`,
  "\ufffd\u0000\u0008\u009b31m🧨日本\r\n",
];

/** The events as a recorder stores them: pieces of 32 KB. */
function bomb(bytes: number): TimelineEvent[] {
  const text = pieces.join("").repeat(Math.ceil((32 << 10) / pieces.join("").length));
  const count = Math.ceil(bytes / text.length);
  return Array.from({ length: count }, (_, index) =>
    eventAt(index, "computer-output", { toolCallId: "call-1", stream: "stdout", text }),
  );
}

test("10 MB of escape codes in a moment make a short video, within memory", async (t) => {
  const job = await jobFor(t, bomb(10_000_000));
  const files = await renderVideo(job, { signal: new AbortController().signal, memoryMb: 500 });
  expect(files.durationMs).toBeLessThan(120_000);
  expect(files.peakMemoryBytes).toBeLessThan(500 << 20);
});

import { expect, test } from "vitest";
import { pictureAt } from "../../testing/decode.ts";
import { incidentFacts, incidentTimeline } from "../../testing/incident.ts";
import { play } from "../../testing/play.ts";
import { jobFor } from "../testing/sample-run.ts";
import { renderVideo } from "./render-video.ts";

test("a decoded picture has the colours that the scene has drawn, all over the frame", async (t) => {
  const events = incidentTimeline().slice(0, 120);
  const files = await renderVideo(
    { ...(await jobFor(t, events)), facts: incidentFacts },
    { signal: new AbortController().signal },
  );
  let drawn: Uint8ClampedArray = new Uint8ClampedArray();
  await play(incidentFacts, events, {
    look: (_, { context }) => {
      drawn = context.getImageData(0, 0, 1280, 720).data;
    },
  });
  const { pixels } = await pictureAt(files.video, files.durationMs / 1000);
  expect(pixels.length).toBe(drawn.length);
  for (const block of blocks()) {
    const wanted = meanOf(drawn, block);
    meanOf(pixels, block).forEach((value, channel) => {
      expect(Math.abs(value - (wanted[channel] ?? 0))).toBeLessThan(6);
    });
  }
});

function blocks(): Array<{ x: number; y: number }> {
  return Array.from({ length: 16 * 9 }, (_, index) => ({
    x: (index % 16) * 80,
    y: Math.floor(index / 16) * 80,
  }));
}

/** The mean red, green and blue of a square of 80 pixels. */
function meanOf(pixels: Uint8ClampedArray, block: { x: number; y: number }): number[] {
  const sums = [0, 0, 0];
  for (let y = block.y; y < block.y + 80; y++) {
    for (let x = block.x; x < block.x + 80; x++) {
      const at = (y * 1280 + x) * 4;
      sums.forEach((sum, channel) => {
        sums[channel] = sum + (pixels[at + channel] ?? 0);
      });
    }
  }
  return sums.map((sum) => sum / 6400);
}

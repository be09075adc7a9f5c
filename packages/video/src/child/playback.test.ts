import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { serve } from "@muster/testing";
import { openPage } from "@muster/testing/browser";
import { expect, test } from "vitest";
import { incidentFacts, incidentTimeline } from "../../testing/incident.ts";
import { jobFor } from "../testing/sample-run.ts";
import { renderVideo } from "./render-video.ts";

test("Chromium plays the video, knows its length, and shows other pictures at other times", async (t) => {
  const job = { ...(await jobFor(t, incidentTimeline())), facts: incidentFacts };
  const files = await renderVideo(job, { signal: new AbortController().signal });
  const video = await readFile(files.video);
  const url = await serve(t, (request, response) => {
    if (request.url === "/video.webm") return sendRange(video, request, response);
    response.setHeader("content-type", "text/html");
    response.end('<!doctype html><video src="/video.webm" muted preload="auto" width="880"></video>');
  });
  const page = await openPage(t, url);
  await page.evaluate("window.video = document.querySelector('video'), 0");
  expect(await page.evaluate("video.canPlayType('video/webm; codecs=\"vp09.00.31.08\"')")).toBe("probably");
  await page.waitFor("video.readyState >= 2");
  expect(await page.evaluate("[video.videoWidth, video.videoHeight]")).toEqual([1280, 720]);
  const durationMs = Number(await page.evaluate("video.duration")) * 1000;
  expect(Math.abs(durationMs / files.durationMs - 1)).toBeLessThan(0.05);

  const pictures = [];
  for (const share of [0.02, 0.4, 0.7, 0.98]) {
    const seconds = (share * files.durationMs) / 1000;
    await page.evaluate(`new Promise((shown) => {
      video.requestVideoFrameCallback((_, frame) => shown(frame.mediaTime));
      video.currentTime = ${seconds};
    })`);
    await page.waitFor(`Math.abs(video.currentTime - ${seconds}) < 0.1 && !video.seeking`);
    pictures.push(
      createHash("sha256")
        .update(await page.screenshot())
        .digest("hex"),
    );
  }
  expect(new Set(pictures).size).toBe(pictures.length);

  await page.evaluate("video.currentTime = 1, video.play()");
  await page.waitFor("video.currentTime > 1.5");
  expect(await page.evaluate("video.error")).toBe(null);
  expect(page.problems.filter((problem) => !problem.includes("favicon"))).toEqual([]);
});

function sendRange(content: Buffer, request: IncomingMessage, response: ServerResponse): void {
  const [, from = "0", to = ""] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = Number(from);
  const end = to === "" ? content.length - 1 : Number(to);
  response.writeHead(request.headers.range === undefined ? 200 : 206, {
    ...{ "content-type": "video/webm", "accept-ranges": "bytes", "content-length": end - start + 1 },
    "content-range": `bytes ${start}-${end}/${content.length}`,
  });
  response.end(content.subarray(start, end + 1));
}

import type { GetRecordingResponse } from "@muster/proto/recordings";
import { shipped } from "@muster/service/shipped";
import type { HttpProblem } from "../../../edge/errors/http-problem.ts";
import { documentOf, type Page, readAsset } from "./document.ts";
import { factsOf } from "./facts.ts";
import { html, nothing } from "./html.ts";

const waiting = readAsset(shipped("./waiting.js", import.meta.url));
const noindex = html`<meta name="robots" content="noindex">\n`;
/** For browsers that run no scripts. */
const refresh = html`<noscript><meta http-equiv="refresh" content="15"></noscript>\n`;

/** The page of a recording without a video: it is being made, or there will be none. */
export function statePage({ status, run, error }: GetRecordingResponse): Page {
  const willCome = willBeReady(status);
  const title = willCome ? "The video is being made" : "This run has no video";
  const text = willCome
    ? status === "processing"
      ? "The run is over. Its video is usually ready within a minute; this page then shows it."
      : "The run has not ended yet. This page shows the video once it is ready."
    : (error ?? "The video could not be made.");
  const facts = run === undefined ? nothing : html`<dl>\n${factsOf(run)}</dl>\n`;
  return documentOf({
    title,
    head: willCome ? html`${noindex}${refresh}` : noindex,
    body: html`<main class="notice" data-status="${status}">
<h1>${title}</h1>
<p role="status">${text}</p>
${facts}</main>
`,
    ...(willCome && { script: waiting }),
  });
}

/** The page of an error. */
export function problemPage({ status, message, code }: HttpProblem, requestId: string): Page {
  return documentOf({
    title: titles[code] ?? "The page cannot be shown",
    head: noindex,
    body: html`<main class="notice" data-status="${status}">
<h1>${titles[code] ?? "The page cannot be shown"}</h1>
<p>${message}</p>
<p class="note">${code}, request ${requestId}</p>
</main>
`,
  });
}

/** Whether a recording with this status still changes by itself. */
export function willBeReady(status: string): boolean {
  return status === "requested" || status === "recording" || status === "processing";
}

const titles: Readonly<Partial<Record<HttpProblem["code"], string>>> = {
  NOT_FOUND: "This recording does not exist",
  RECORDING_GONE: "This recording was deleted",
  RECORDING_NOT_READY: "The video is being made",
  UNAVAILABLE: "The recording cannot be shown right now",
};

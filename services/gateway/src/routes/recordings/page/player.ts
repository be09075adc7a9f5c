import type { GetRecordingResponse, RecordedRun } from "@muster/proto/recordings";
import { shipped } from "@muster/service/shipped";
import { documentOf, type Page, readAsset } from "./document.ts";
import { factsOf, outcomeOf, spanOf } from "./facts.ts";
import { type Html, html, nothing } from "./html.ts";

const script = readAsset(shipped("./player.js", import.meta.url));

export interface Address {
  /** The URL of the gateway, without a final slash. Undefined: unknown, and nothing needs it. */
  readonly base: string | undefined;
  /** The token of a signed URL; undefined if the recording is public. */
  readonly token: string | undefined;
}

/** The page that plays a recording. The addresses in it are relative, so that it also works behind a path. */
export function playerPage({ id, visibility, run, video }: GetRecordingResponse, address: Address): Page {
  const isPublic = visibility === "public";
  const query = address.token === undefined ? "" : `?token=${encodeURIComponent(address.token)}`;
  const { title, subtitle } = headingOf(run);
  const length = video === undefined ? "" : spanOf(Number(video.durationMs));
  const source = `${id}.webm${query}`;
  const body = html`<a class="skip" href="#transcript">Skip to the transcript</a>
<header>
<p class="agent">${subtitle}</p>
<h1>${title}</h1>
${run === undefined ? nothing : html`<p class="summary"><span class="outcome" data-outcome="${run.status}">${outcomeOf(run)}</span>${length === "" ? nothing : html` <span>Video of ${length}</span>`}</p>`}
</header>
<main>
<section class="stage" aria-label="Video">
<video controls preload="metadata" playsinline width="${video?.width || 1280}" height="${video?.height || 720}" src="${source}" aria-label="Recording: ${title}">
<track kind="chapters" srclang="en" label="Chapters" src="${id}/chapters.vtt${query}">
<track kind="captions" srclang="en" label="Transcript" src="${id}/transcript.vtt${query}">
</video>
<p class="problem" role="alert" hidden>The video cannot be played: the link may have expired, or this browser does not play WebM with VP9. You can <a href="${source}" download>download it</a>.</p>
<p class="tools"><button type="button" class="copy" hidden>Copy link at <span class="at">0:00</span></button>
<a href="${source}" download>Download the video</a>
<span class="copied" role="status"></span></p>
<p class="link" hidden><label>Link <input type="text" readonly></label></p>
${isPublic ? nothing : html`<p class="note">This link expires. Until then, everyone who has it can watch the recording.</p>`}
</section>
<section class="transcript" aria-labelledby="transcript">
<div class="bar"><h2 id="transcript" tabindex="-1">Transcript</h2>
<label class="follow" hidden><input type="checkbox" checked> Follow the video</label></div>
<ol hidden tabindex="0" aria-label="Transcript"></ol>
<p class="fallback">It is in <a href="${id}/transcript.vtt${query}">transcript.vtt</a>.</p>
</section>
<section class="chapters" aria-labelledby="chapters">
<h2 id="chapters">Chapters</h2>
<ol hidden></ol>
<p class="fallback">They are in <a href="${id}/chapters.vtt${query}">chapters.vtt</a>.</p>
</section>
${
  run === undefined
    ? nothing
    : html`<section class="facts" aria-labelledby="facts"><h2 id="facts">About this run</h2>
<dl>
${factsOf(run)}</dl></section>`
}
</main>
`;
  return documentOf({
    title: `${title} · ${subtitle}`,
    head: isPublic
      ? sharedHead({ id, run, video }, title, address)
      : html`<meta name="robots" content="noindex">\n`,
    body,
    script,
    mayBeFramed: isPublic,
  });
}

const maxTitleLength = 200;

function headingOf(run: RecordedRun | undefined): { title: string; subtitle: string } {
  const task = run?.task.replace(/\s+/g, " ").trim() ?? "";
  return {
    title: task === "" ? "Recording of a run" : shortened(task, maxTitleLength),
    subtitle: run?.agentName.trim() || "Workforce agent",
  };
}

function shortened(text: string, maxLength: number): string {
  const characters = [...text];
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join("")}…`;
}

/** The parts that programs show when they make a preview of a link. */
function sharedHead(
  { id, run, video }: Pick<GetRecordingResponse, "id" | "run" | "video">,
  title: string,
  { base }: Address,
): Html {
  const agent = run?.agentName ?? "A workforce agent";
  const what = run === undefined ? "at work" : outcomeOf(run).toLowerCase();
  const description = `${agent}: ${what}${video === undefined ? "" : `, ${spanOf(Number(video.durationMs))} of video`}.`;
  const url = base === undefined ? undefined : `${base}/r/${id}`;
  const properties: Array<[name: string, content: string]> = [
    ["og:type", "video.other"],
    ["og:site_name", "Muster"],
    ["og:title", title],
    ["og:description", description],
    ...(url === undefined ? [] : videoProperties(url, video)),
  ];
  return html`<meta name="description" content="${description}">
<meta name="twitter:card" content="summary">
<meta name="twitter:title" content="${title}">
<meta name="twitter:description" content="${description}">
${url === undefined ? nothing : html`<link rel="canonical" href="${url}">\n`}${properties.map(([name, content]) => html`<meta property="${name}" content="${content}">\n`)}`;
}

function videoProperties(
  url: string,
  video: GetRecordingResponse["video"],
): Array<[name: string, content: string]> {
  return [
    ["og:url", url],
    ["og:video", `${url}.webm`],
    ...(url.startsWith("https:") ? [["og:video:secure_url", `${url}.webm`] satisfies [string, string]] : []),
    ["og:video:type", "video/webm"],
    ["og:video:width", String(video?.width || 1280)],
    ["og:video:height", String(video?.height || 720)],
  ];
}

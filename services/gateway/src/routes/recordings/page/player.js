const find = (selector) => document.querySelector(selector);
const video = find("video");
const [chapters, transcript] = [find(".chapters"), find(".transcript")];
const follow = find(".follow input");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** `1:05`, `1:01:05`. */
function clock(time) {
  const seconds = Math.floor(time);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** The time that the address names: `#t=83`, `#t=1:23`, or the same as `?t=`. */
function wantedTime() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const text = hash.get("t") ?? new URLSearchParams(location.search).get("t") ?? "";
  if (!/^\d{1,6}(?:\.\d+)?$|^(?:\d{1,3}:)?\d{1,3}:\d{2}$/.test(text)) return undefined;
  return text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}

function seek(time) {
  video.currentTime = Number.isFinite(video.duration) ? Math.min(time, video.duration) : time;
}

function seekToAddress() {
  const time = wantedTime();
  if (time !== undefined) seek(time);
}

function textOf(cue) {
  return cue.getCueAsHTML().textContent.trimEnd();
}

/** Who or what speaks: `<v Lou>`. */
function voiceOf(cue) {
  return /^<v(?:\.[^\s>]*)?\s+([^>]+)>/.exec(cue.text)?.[1]?.trim();
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function entryOf(cue) {
  const button = document.createElement("button");
  button.type = "button";
  const voice = voiceOf(cue);
  const time = element("span", "time", clock(cue.startTime));
  const text = element("span", "text", textOf(cue));
  button.append(time, ...(voice === undefined ? [] : [element("span", "voice", voice)]), text);
  button.addEventListener("click", () => seek(cue.startTime));
  const entry = element("li", voice === "Terminal" ? "terminal" : "", "");
  entry.append(button);
  return { cue, button };
}

/** Fills the list of a section with the cues of a track, and marks the one that the video is at. */
function list(section, track) {
  const items = section.querySelector("ol");
  let entries = [];
  /** The latest that has begun: what it says is still true when nothing follows for a while. */
  const mark = () => {
    // A seek can end some microseconds before.
    const time = video.currentTime + 0.01;
    const current = entries.findLast(({ cue }) => cue.startTime <= time)?.button;
    for (const { button } of entries) {
      if (button === current) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    return current;
  };
  const fill = () => {
    entries = [...(track.track.cues ?? [])].map(entryOf);
    if (entries.length === 0) return;
    items.replaceChildren(...entries.map(({ button }) => button.parentElement));
    items.hidden = false;
    section.querySelector(".fallback").hidden = true;
    section.dataset.cues = String(entries.length);
    mark();
  };
  track.track.mode = "hidden";
  if (track.readyState === HTMLTrackElement.LOADED) fill();
  track.addEventListener("load", fill);
  return { items, mark };
}

/** Scrolls only the list, never the page, and only where the entry is out of sight. */
function show(items, entry) {
  const { top, bottom } = entry.getBoundingClientRect();
  const frame = items.getBoundingClientRect();
  if (top >= frame.top && bottom <= frame.bottom) return;
  const distance = top - frame.top - frame.height / 3;
  items.scrollBy({ top: distance, behavior: calm.matches ? "instant" : "smooth" });
}

const [chapterTrack, transcriptTrack] = document.querySelectorAll("track");
const chapterList = list(chapters, chapterTrack);
const transcriptList = list(transcript, transcriptTrack);
find(".follow").hidden = false;

video.addEventListener("timeupdate", () => {
  find(".at").textContent = clock(video.currentTime);
  for (const { items, mark } of [chapterList, transcriptList]) {
    const entry = mark();
    if (entry !== undefined && follow.checked) show(items, entry);
  }
});
video.addEventListener("error", () => {
  find(".problem").hidden = false;
});
if (video.error !== null) find(".problem").hidden = false;
if (video.readyState >= HTMLMediaElement.HAVE_METADATA) seekToAddress();
else video.addEventListener("loadedmetadata", seekToAddress, { once: true });
addEventListener("hashchange", seekToAddress);

/** Reading must not move because the video does. */
for (const { items } of [chapterList, transcriptList]) {
  items.addEventListener("wheel", unfollow, { passive: true });
  items.addEventListener("touchmove", unfollow, { passive: true });
}
function unfollow() {
  if (!video.paused) follow.checked = false;
}

function linkHere() {
  const url = new URL(location.href);
  url.searchParams.delete("t");
  url.hash = `t=${Math.floor(video.currentTime)}`;
  return url.href;
}

const copy = find(".copy");
copy.hidden = false;
copy.addEventListener("click", async () => {
  const href = linkHere();
  const status = find(".copied");
  try {
    await navigator.clipboard.writeText(href);
    status.textContent = `Copied the link at ${clock(video.currentTime)}.`;
  } catch {
    // Without HTTPS, or in a frame, browsers do not let a page copy.
    const field = find(".link input");
    find(".link").hidden = false;
    field.value = href;
    field.select();
    status.textContent = "Copy the link below.";
  }
});

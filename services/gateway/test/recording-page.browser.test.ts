import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openPage, type Page } from "@muster/testing/browser";
import { describe, type TestContext, test } from "vitest";
import { type Contents, type RecordingFields, ready, startWatching } from "./support/recordings.ts";

/** A minute; each second shows its number. */
const video = readFileSync(join(import.meta.dirname, "./support/fixtures/sixty-seconds.webm"));
const chapters = [
  "WEBVTT\n",
  "00:00:00.000 --> 00:00:10.000\nThe task\n",
  "00:00:10.000 --> 00:00:30.000\nRun <b>grep</b> &lt;log&gt;\n",
  "00:00:40.000 --> 00:01:00.000\nThe answer\n",
].join("\n");
const lines = Array.from({ length: 30 }, (_, index) => {
  const at = (second: number) =>
    `00:${String(Math.floor(second / 60)).padStart(2, "0")}:${String(second % 60).padStart(2, "0")}.000`;
  return `${at(index * 2)} --> ${at(index * 2 + 2)}\n<v ${index % 2 ? "Lou" : "User"}>Line ${index}\n`;
});
const hostile =
  "00:00:00.000 --> 00:00:02.000\n<v Eve><img src=x onerror=window.hacked=1>&lt;script&gt;window.hacked=1&lt;/script&gt;\n";
const transcript = ["WEBVTT\n", hostile, ...lines].join("\n");
const whole: Contents = { video, chapters, transcript };

async function startPage(
  t: TestContext,
  fields: RecordingFields = {},
  contents: Partial<Contents> = whole,
  more = "",
) {
  const watching = await startWatching(t);
  watching.set(fields);
  await watching.store(ready, contents);
  const url = `${watching.edge.url}/r/rec_1${more}`;
  const page = await openPage(t, empty);
  await page.show({ width: 1280, height: 800 });
  await page.go(url);
  return { ...watching, page, url };
}

/** Leaves a page, so that opening it again loads it. */
const empty = "about:blank#empty";
const isLoaded = "document.querySelector('video').readyState >= 2";
const listed = (section: string) => `document.querySelector('.${section}').dataset.cues !== undefined`;
const timeIs = (time: number) => `Math.abs(document.querySelector('video').currentTime - ${time}) < 0.01`;
const entry = (section: string, index: number) =>
  `document.querySelectorAll('.${section} li button')[${index}]`;

async function keep(page: Page, name: string): Promise<void> {
  // For users: SCREENSHOTS names a folder that exists.
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined)
    await writeFile(join(folder, `${name}.png`), await page.screenshot({ isWhole: true }));
}

describe("in Chromium, the page of a recording", () => {
  test("plays VP9 in WebM, knows its duration, and seeks to a picture", async (t) => {
    const { page } = await startPage(t);
    await page.waitFor(isLoaded);
    const can = await page.evaluate(
      `document.createElement("video").canPlayType('video/webm; codecs="vp9"')`,
    );
    assert.equal(can, "probably");
    const facts = "(({ duration, videoWidth, videoHeight }) => [duration, videoWidth, videoHeight])";
    assert.deepEqual(await page.evaluate(`${facts}(document.querySelector('video'))`), [60, 640, 360]);
    await page.evaluate("document.querySelector('video').currentTime = 42.5");
    await page.waitFor(`${timeIs(42.5)} && !document.querySelector('video').seeking && ${isLoaded}`);
    await page.evaluate(
      "document.querySelector('video').muted = true, document.querySelector('video').play()",
    );
    await page.waitFor("document.querySelector('video').currentTime > 43");
    assert.deepEqual(page.problems, []);
  });

  test("lists the chapters and the transcript, seeks to what is clicked, and marks what is shown", async (t) => {
    const { page } = await startPage(t);
    await page.waitFor(`${isLoaded} && ${listed("chapters")} && ${listed("transcript")}`);
    const texts = await page.evaluate(
      `[...document.querySelectorAll('.chapters li')].map((item) => item.innerText.replace(/\\s+/g, " "))`,
    );
    assert.deepEqual(texts, ["0:00 The task", "0:10 Run grep <log>", "0:40 The answer"]);
    await page.evaluate(`${entry("chapters", 1)}.click()`);
    await page.waitFor(`${timeIs(10)} && ${entry("chapters", 1)}.getAttribute('aria-current') === 'true'`);
    // After the end of one, before the next.
    await page.evaluate("document.querySelector('video').currentTime = 35");
    await page.waitFor(`${timeIs(35)} && ${entry("transcript", 18)}.getAttribute('aria-current') === 'true'`);
    assert.equal(await page.evaluate(`${entry("chapters", 1)}.getAttribute('aria-current')`), "true");
    await page.evaluate(`${entry("transcript", 21)}.click()`);
    await page.waitFor(`${timeIs(40)} && ${entry("transcript", 21)}.getAttribute('aria-current') === 'true'`);
    const marked =
      "[...document.querySelectorAll('[aria-current]')].map((item) => item.innerText.replace(/\\s+/g, ' '))";
    await page.waitFor(`${marked}.length === 2`);
    assert.deepEqual(await page.evaluate(marked), ["0:40 User Line 20", "0:40 The answer"]);
    assert.equal(await page.evaluate("document.querySelector('.chapters .fallback').hidden"), true);
    assert.deepEqual(page.problems, []);
  });

  test("scrolls the transcript with the video, until its reader says no", async (t) => {
    const { page } = await startPage(t);
    await page.waitFor(`${isLoaded} && ${listed("transcript")}`);
    const scrolled = "document.querySelector('.transcript ol').scrollTop";
    assert.equal(await page.evaluate(scrolled), 0);
    await page.evaluate("document.querySelector('video').currentTime = 58");
    await page.waitFor(`${scrolled} > 100`);
    assert.equal(await page.evaluate("scrollY"), 0);
    await page.evaluate("document.querySelector('.follow input').click()");
    await page.waitFor(`document.getAnimations().length === 0`);
    const before = await page.evaluate(scrolled);
    await page.evaluate("document.querySelector('video').currentTime = 0");
    await page.waitFor(`${entry("transcript", 1)}.getAttribute('aria-current') === 'true'`);
    assert.ok(Number(await page.evaluate(scrolled)) >= Number(before));
  });

  test("shows hostile words as text", async (t) => {
    const { page } = await startPage(t, {
      run: { ...ready.run, task: "<img src=x onerror=window.hacked=1>" },
    });
    await page.waitFor(listed("transcript"));
    assert.equal(await page.evaluate("window.hacked"), undefined);
    assert.equal(await page.evaluate("document.querySelectorAll('img').length"), 0);
    const said = await page.evaluate(`${entry("transcript", 0)}.querySelector('.text').textContent`);
    assert.equal(said, "<script>window.hacked=1</script>");
    assert.deepEqual(page.problems, []);
  });

  test("starts at the time that its address names, and goes to another one", async (t) => {
    const { page, url } = await startPage(t);
    const starts: Array<[more: string, time: number]> = [
      ["#t=42", 42],
      ["?t=12", 12],
      ["#t=0:33", 33],
      ["#t=9999", 60],
      ["#t=-5", 0],
      ["#t=1e3", 0],
    ];
    for (const [more, time] of starts) {
      await page.go(empty);
      await page.go(url + more);
      await page.waitFor(`${isLoaded} && ${timeIs(time)}`);
    }
    await page.evaluate("location.hash = 't=7'");
    await page.waitFor(timeIs(7));
  });

  test("copies a link to the time that it shows, which leads there; shows the link where it may not copy", async (t) => {
    const { page, url } = await startPage(t, {}, whole, "?t=3");
    await page.waitFor(`${isLoaded} && ${timeIs(3)}`);
    for (const name of ["clipboard-write", "clipboard-read"]) await page.permit(name);
    await page.evaluate("document.querySelector('video').currentTime = 42.7");
    await page.waitFor("document.querySelector('.copy').innerText === 'Copy link at 0:42'");
    await page.evaluate("document.querySelector('.copy').click()");
    await page.waitFor("document.querySelector('.copied').textContent === 'Copied the link at 0:42.'");
    const link = url.replace("?t=3", "#t=42");
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), link);
    await page.evaluate("navigator.clipboard.writeText = async () => Promise.reject(new Error('denied'))");
    await page.evaluate("document.querySelector('.copy').click()");
    await page.waitFor("document.querySelector('.copied').textContent === 'Copy the link below.'");
    assert.equal(await page.evaluate("document.querySelector('.link input').value"), link);
    await page.go(empty);
    await page.go(link);
    await page.waitFor(`${isLoaded} && ${timeIs(42)}`);
  });

  test("plays a private recording with its signature, and sends no Referer", async (t) => {
    const watching = await startWatching(t);
    watching.set({ visibility: "private" });
    await watching.store(ready, whole);
    const token = watching.files.addresses.sign("rec_1");
    const page = await openPage(t, `${watching.edge.url}/r/rec_1?token=${token}`);
    await page.waitFor(`${isLoaded} && ${listed("chapters")} && ${listed("transcript")}`);
    assert.equal(await page.evaluate("document.querySelector('video').duration"), 60);
    assert.deepEqual(page.problems, []);
  });

  test("can be used with the keyboard alone, and everything has a name and a role", async (t) => {
    const { page } = await startPage(t);
    await page.waitFor(`${isLoaded} && ${listed("chapters")} && ${listed("transcript")}`);
    await page.waitFor("!document.querySelector('.follow').hidden");
    const found = await page.accessible();
    const nameless = found.filter(
      ({ role, name }) =>
        ["button", "link", "checkbox", "textbox", "Video", "heading", "region"].includes(role) && name === "",
    );
    assert.deepEqual(nameless, []);
    const has = (role: string, name: string) =>
      found.some((node) => node.role === role && node.name === name);
    assert.ok(has("heading", "Which host failed most?"));
    for (const name of ["Chapters", "Transcript", "About this run"]) assert.ok(has("heading", name), name);
    for (const [role, name] of [
      ["main", ""],
      ["region", "Chapters"],
      ["checkbox", "Follow the video"],
    ] as const)
      assert.ok(has(role, name), name);
    const focused: unknown[] = [];
    const where = `(({ className, tagName, href }) => className || (href ? 'a' : tagName.toLowerCase()))(document.activeElement)`;
    for (let step = 0; step < 4; step++) {
      await page.press("Tab", 9);
      focused.push(await page.evaluate(where));
    }
    assert.deepEqual(focused.slice(0, 2), ["skip", "video"]);
    await page.evaluate(`${entry("chapters", 2)}.focus()`);
    const outline = `getComputedStyle(document.activeElement).outlineStyle`;
    await page.press("Shift", 16);
    assert.equal(await page.evaluate(outline), "solid");
    await page.press("Enter", 13);
    await page.waitFor(timeIs(40));
  });

  test("fits a phone and a desktop, light and dark", async (t) => {
    const task = `Which of these hosts failed most, and why? ${"https://example.com/a-long-path/".repeat(3)}`;
    const run = { ...ready.run, task, failureReason: "The monthly limit is reached.", status: "blocked" };
    const { page } = await startPage(t, { run });
    await page.waitFor(`${isLoaded} && ${listed("chapters")} && ${listed("transcript")}`);
    await page.evaluate("document.querySelector('video').currentTime = 20");
    await page.waitFor(`${timeIs(20)} && !document.querySelector('video').seeking`);
    for (const [kind, width, height] of [
      ["phone", 360, 740],
      ["desktop", 1280, 800],
    ] as const) {
      for (const scheme of ["light", "dark"] as const) {
        await page.show({ width, height, scheme, isMobile: kind === "phone" });
        await page.waitFor(
          `innerWidth === ${width} && matchMedia('(prefers-color-scheme: ${scheme})').matches`,
        );
        assert.equal(
          await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"),
          true,
          kind,
        );
        await keep(page, `${kind}-${scheme}`);
      }
    }
  });

  test("shows the terminal as text under the video on a phone, and no empty band on a desktop", async (t) => {
    const printed = "00:00:00.000 --> 00:00:02.000\n<v Terminal>  2 web-2\n 10 web-1\n";
    const { page } = await startPage(
      t,
      {},
      { ...whole, transcript: `WEBVTT\n\n${printed}\n${lines.join("\n")}` },
    );
    await page.show({ width: 390, height: 844, isMobile: true });
    await page.waitFor(`${isLoaded} && ${listed("transcript")}`);
    assert.equal(await page.evaluate("document.querySelector('.stage + .transcript') !== null"), true);
    const text = "document.querySelector('.transcript .terminal .text')";
    assert.equal(await page.evaluate(`${text}.textContent`), "  2 web-2\n 10 web-1");
    const style = `(({ fontFamily, fontSize, whiteSpace }) => [fontFamily, fontSize, whiteSpace])(getComputedStyle(${text}))`;
    assert.deepEqual(await page.evaluate(style), ["ui-monospace, monospace", "13.6px", "pre-wrap"]);
    await page.show({ width: 1280, height: 800 });
    await page.waitFor("innerWidth === 1280");
    const band = "(({ bottom }, last) => bottom - last.bottom)";
    const boxes = ["stage", "stage > :nth-last-child(1 of :not([hidden]))"].map(
      (each) => `document.querySelector('.${each}').getBoundingClientRect()`,
    );
    assert.ok(Number(await page.evaluate(`${band}(${boxes.join()})`)) < 20);
  });

  test("says what is wrong if the video cannot be played, and leads to the words that it cannot list", async (t) => {
    const { page } = await startPage(t, {}, { video: "no video", chapters: "no chapters", transcript: "" });
    await page.waitFor("document.querySelector('.problem').checkVisibility()");
    assert.equal(
      await page.evaluate("document.querySelector('.chapters .fallback').checkVisibility()"),
      true,
    );
    assert.equal(await page.evaluate("document.querySelector('.chapters ol').hidden"), true);
  });
});

test("the page of a recording that is being made shows the video once it is there", async (t) => {
  const { page, set } = await startPage(t, { status: "processing" });
  await keep(page, "processing");
  assert.match(String(await page.evaluate("document.body.innerText")), /The video is being made/);
  set({});
  await page.waitFor(`document.querySelector('video') !== null && ${isLoaded}`);
  assert.deepEqual(page.problems, []);
});

test("a browser that opens the video by itself plays it, although the response allows nothing else", async (t) => {
  const { page, edge } = await startPage(t);
  await page.go(`${edge.url}/r/rec_1.webm`);
  await page.waitFor("document.querySelector('video')?.duration === 60");
});

test("a page of another origin can show a public recording in a frame and in a player, and no private one", async (t) => {
  const { page, edge, set, files } = await startPage(t);
  const elsewhere = `${edge.url.replace("127.0.0.1", "localhost")}/healthz`;
  const show = async (query: string) => {
    await page.go(empty);
    await page.go(elsewhere);
    page.problems.length = 0;
    return page.evaluate(`new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.src = ${JSON.stringify(`${edge.url}/r/rec_1${query}`)};
      const video = document.createElement("video");
      video.onloadedmetadata = () => resolve("played");
      video.onerror = () => resolve("refused");
      frame.onload = () => {
        video.src = ${JSON.stringify(`${edge.url}/r/rec_1.webm${query}`)};
      };
      document.body.append(frame, video);
    })`);
  };
  assert.equal(await show(""), "played");
  assert.doesNotMatch(page.problems.join(), /Content Security Policy|ORB|rec_1/);
  set({ visibility: "private" });
  assert.equal(await show(`?token=${files.addresses.sign("rec_1")}`), "refused");
  assert.match(page.problems.join(), /frame-ancestors/);
});

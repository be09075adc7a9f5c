import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "vitest";
import { ready, startWatching } from "./support/recordings.ts";

const asBrowser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const read = async (url: string, headers = {}) => {
  const response = await fetch(url, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const metaOf = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]*)">/g)].map(([, name, text]) => [
      name,
      text,
    ]),
  );

describe("the page of a recording", () => {
  test("runs exactly its own script and style, and loads nothing from elsewhere", async (t) => {
    const { edge, set } = await startWatching(t);
    set({});
    const { status, headers, text } = await read(`${edge.url}/r/rec_1`);
    assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
    const hashOf = (pattern: RegExp) => {
      const [, content = ""] = pattern.exec(text) ?? [];
      assert.ok(content.length > 100);
      return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
    };
    const style = hashOf(/<style>([\s\S]*?)<\/style>/);
    const script = hashOf(/<script type="module">([\s\S]*?)<\/script>/);
    assert.deepEqual((headers.get("content-security-policy") ?? "").split("; "), [
      ...[
        "default-src 'none'",
        `style-src ${style}`,
        `script-src ${script}`,
        "media-src 'self'",
        "img-src data:",
      ],
      ...["base-uri 'none'", "form-action 'none'", "frame-ancestors *", "require-trusted-types-for 'script'"],
    ]);
    assert.doesNotMatch(text, / (?:style|on\w+)="|src="(?:https?:)?\/\//);
  });

  test("that is public describes itself to programs that preview links, under its public address", async (t) => {
    const { edge, set } = await startWatching(t, { publicUrl: "https://muster.example.com/api" });
    set({});
    const { headers, text } = await read(`${edge.url}/r/rec_1?token=ignored`);
    const url = "https://muster.example.com/api/r/rec_1";
    assert.deepEqual(metaOf(text), {
      ...{ viewport: "width=device-width, initial-scale=1", "color-scheme": "light dark" },
      ...{ description: "Lou: completed, 1 min 5 s of video.", "twitter:card": "summary" },
      ...{ "twitter:title": "Which host failed most?", "og:title": "Which host failed most?" },
      ...{ "twitter:description": "Lou: completed, 1 min 5 s of video." },
      ...{ "og:description": "Lou: completed, 1 min 5 s of video.", "og:type": "video.other" },
      ...{ "og:site_name": "Muster", "og:url": url, "og:video": `${url}.webm` },
      ...{ "og:video:secure_url": `${url}.webm`, "og:video:type": "video/webm" },
      ...{ "og:video:width": "1280", "og:video:height": "720" },
    });
    assert.match(text, new RegExp(`<link rel="canonical" href="${url}">`));
    assert.doesNotMatch(text, /token/);
    assert.deepEqual(
      ["cache-control", "x-robots-tag"].map((name) => headers.get(name)),
      ["public, max-age=300", null],
    );
  });

  test("without PUBLIC_URL names the address of the request, and no shared cache keeps that for others", async (t) => {
    const { edge, set } = await startWatching(t);
    set({});
    const { headers, text } = await read(`${edge.url}/r/rec_1`);
    assert.equal(metaOf(text)["og:url"], `${edge.url}/r/rec_1`);
    assert.equal(headers.get("cache-control"), "private, max-age=300");
  });

  test("that is private passes its signature on to the video and the words only", async (t) => {
    const { edge, files, set } = await startWatching(t);
    set({ visibility: "private" });
    const token = files.addresses.sign("rec_1");
    const { headers, text } = await read(`${edge.url}/r/rec_1?token=${token}`);
    const addresses = [...text.matchAll(/(?:src|href)="(rec_1[^"]*)"/g)].map(([, address]) => address);
    assert.deepEqual(
      new Set(addresses),
      new Set(
        ["rec_1.webm", "rec_1/chapters.vtt", "rec_1/transcript.vtt"].map((path) => `${path}?token=${token}`),
      ),
    );
    assert.deepEqual(
      ["cache-control", "x-robots-tag", "referrer-policy"].map((name) => headers.get(name)),
      ["no-store", "noindex", "no-referrer"],
    );
    assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
    const { description, robots, ...others } = metaOf(text);
    assert.deepEqual([description, robots], [undefined, "noindex"]);
    assert.deepEqual(Object.keys(others), ["viewport", "color-scheme"]);
  });

  test("shows hostile names and tasks as text", async (t) => {
    const { edge, set } = await startWatching(t);
    const hostile = `</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>" onload="alert(1)' x='`;
    const run = {
      ...ready.run,
      agentName: hostile,
      task: hostile,
      model: hostile,
      failureReason: hostile,
      status: hostile,
    };
    for (const status of ["ready", "processing", "failed"]) {
      set({ run, status, error: hostile });
      const { text } = await read(`${edge.url}/r/rec_1`);
      assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
      assert.doesNotMatch(text, /<img|<script>alert|onload="|onload='/);
      assert.equal(text.split("<script").length - 1, status === "failed" ? 0 : 1);
    }
  });

  test("shortens a long task, and has a title without one", async (t) => {
    const { edge, set } = await startWatching(t);
    const titles = [];
    for (const task of ["😀".repeat(300), " \n "]) {
      set({ run: { ...ready.run, task, agentName: "" } });
      titles.push(/<h1>(.*)<\/h1>/.exec((await read(`${edge.url}/r/rec_1`)).text)?.[1]);
    }
    assert.deepEqual(titles, [`${"😀".repeat(199)}…`, "Recording of a run"]);
  });
});

describe("a recording without a video", () => {
  test("has a page that tells whether it is on its way, or why there is none", async (t) => {
    const { edge, set } = await startWatching(t);
    const pages: Array<[status: string, said: RegExp, reloads: boolean]> = [
      ["requested", /The run has not ended yet\./, true],
      ["recording", /The run has not ended yet\./, true],
      ["processing", /The run is over\./, true],
      ["failed", /The disk is full\./, false],
      ["unavailable", /The disk is full\./, false],
    ];
    for (const [status, said, reloads] of pages) {
      set({ status, ...(!reloads && { error: "The disk is full." }) });
      const { status: answered, headers, text } = await read(`${edge.url}/r/rec_1`, asBrowser);
      assert.deepEqual([answered, headers.get("cache-control")], [200, "no-store"]);
      assert.match(text, said);
      assert.equal(text.includes("location.reload"), reloads, status);
      assert.doesNotMatch(text, /<video/);
    }
  });

  test("shows a browser its errors as pages, and a program as JSON", async (t) => {
    const { edge, set } = await startWatching(t);
    set({ status: "deleted" });
    const cases: Array<[path: string, status: number, said: RegExp]> = [
      ["/r/rec_1", 410, /<h1>This recording was deleted<\/h1>/],
      ["/r/rec_1.webm", 410, /<h1>This recording was deleted<\/h1>/],
      ["/r/rec_none", 404, /<h1>This recording does not exist<\/h1>/],
      ["/r/%3Cscript%3E.webm", 404, /<h1>This recording does not exist<\/h1>/],
      ["/r/rec_1?token=a&token=b", 400, /INVALID_REQUEST/],
    ];
    for (const [path, status, said] of cases) {
      const page = await read(edge.url + path, asBrowser);
      assert.deepEqual([page.status, page.headers.get("content-type")], [status, "text/html; charset=utf-8"]);
      assert.match(page.text, said);
      assert.match(page.headers.get("content-security-policy") ?? "", /script-src 'none'/);
      assert.equal(page.headers.get("cache-control"), "no-store");
      const { headers } = await read(edge.url + path);
      assert.equal(headers.get("content-type"), "application/json; charset=utf-8", path);
    }
  });
});

test("the page is not for a client that wants JSON, and HEAD has no body", async (t) => {
  const { edge, set } = await startWatching(t);
  set({});
  assert.equal((await read(`${edge.url}/r/rec_1`, { accept: "application/json" })).status, 406);
  const head = await fetch(`${edge.url}/r/rec_1`, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});

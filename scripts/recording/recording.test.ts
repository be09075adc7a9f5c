import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "vitest";
import { framesOf } from "./screen.ts";
import { commands } from "./session.ts";
import { renderSvg } from "./svg.ts";

const root = resolve(import.meta.dirname, "../..");
const readme = readFileSync(resolve(root, "README.md"), "utf8");
const picture = readFileSync(resolve(root, "docs/images/first-steps.svg"), "utf8");

for (const [name, command] of Object.entries(commands)) {
  test(`the README contains the recorded command ${name}, and the picture shows it`, () => {
    const isThere = readme.split("\n").some((line) => line.replace(/ +#.*/, "") === command);
    assert.ok(isThere, command);
    assert.ok(picture.includes(`>${command}</text>`), command);
  });
}

test("a recording shows the last picture without animations, and the colours and cuts of the terminal's output", async () => {
  const frames = await framesOf([
    { atMs: 0, text: "\u001b[32m$\u001b[0m ls\r\n" },
    { atMs: 60_000, text: "a <b> & c" },
  ]);
  assert.equal(frames.length, 2);
  assert.ok((frames[1]?.atMs ?? 0) < 5_000, "the pause is cut");
  const svg = renderSvg([{ title: "Terminal", frames }], "A test");
  assert.match(svg, /class="c2"[^>]*>\$</);
  assert.match(svg, />a &lt;b&gt; &amp; c</);
  assert.match(svg, /\.film\{transform:translateY\(-\d+(\.\d+)?px\)\}/);
});

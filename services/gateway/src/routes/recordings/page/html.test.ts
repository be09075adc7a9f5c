import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { Html, html } from "./html.ts";

test("everything inserted is escaped, for content and attributes, unless it is markup itself", () => {
  const text = `<script>"&'</script>`;
  const escaped = "&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;";
  assert.equal(html`<p title="${text}">${text}</p>`.text, `<p title="${escaped}">${escaped}</p>`);
  assert.equal(
    html`${[new Html("<b>"), html`<i>${text}</i>`]}${1n.toString()}${2}`.text,
    `<b><i>${escaped}</i>12`,
  );
});

test("control characters, half surrogate pairs and changes of direction become replacement characters; lines stay", () => {
  const { text } = html`${"a\0b\x1b[2J\ud800\u202egpj.exe\u2066\n\t"}`;
  assert.equal(text, "a\ufffdb\ufffd[2J\ufffd\ufffdgpj.exe\ufffd\n\t");
});

test("no text becomes markup or leaves its attribute", () => {
  const hostile = fc.string({ unit: fc.constantFrom(..."<>\"'&`=/ ;\0ab\u2028") });
  fc.assert(
    fc.property(hostile, (text) => {
      assert.match(html`${text}`.text, /^(?:[^<>"'&]|&(?:amp|lt|gt|quot|#39);)*$/);
    }),
  );
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";

const css = readFileSync(join(import.meta.dirname, "page.css"), "utf8");
const schemes = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, block = ""]) =>
  Object.fromEntries([...block.matchAll(/--(\w+): (#\w{6});/g)].map(([, name, color]) => [name, color])),
);

/** Relative luminance, as WCAG 2 defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describe.each([
  ["light", schemes[0]],
  ["dark", schemes[1]],
])("the %s colours", (_name, colors = {}) => {
  test("have a contrast of at least 4.5 between text and its background", () => {
    for (const text of ["text", "quiet", "accent", "good", "bad"]) {
      for (const ground of ["ground", "card", "mark"]) {
        const found = contrast(colors[text] ?? "", colors[ground] ?? "");
        assert.ok(found >= 4.5, `${text} on ${ground}: ${found.toFixed(2)}`);
      }
    }
  });
});

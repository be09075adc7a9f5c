import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EscapeFilter } from "./escape-filter.ts";

const esc = "\u001b";
const pass = (...pieces: string[]) => {
  const filter = new EscapeFilter();
  return pieces.map((piece) => filter.pass(piece)).join("");
};

describe("the output of commands", () => {
  test.each([
    ["text, lines and tabs", "a\tb\r\nc\b"],
    ["colours", `${esc}[1;38;2;255;128;0mx${esc}[38;5;200my${esc}[m`],
    ["the cursor and clearing", `${esc}[2J${esc}[3;4H${esc}[K${esc}7${esc}8`],
    ["modes", `${esc}[?1049h${esc}[?25l${esc}[?2004h`],
    ["other scripts, emoji and joined emoji", "日本語 한국어 é 👩‍💻 🇩🇪 e\u0301"],
  ])("keeps %s", (_, text) => {
    expect(pass(text)).toBe(text);
  });

  test.each([
    ["titles", `${esc}]0;title\u0007`],
    ["links", `${esc}]8;;https://example.com${esc}\\`],
    ["the clipboard", `${esc}]52;c;aGk=\u0007`],
    ["images", `${esc}Pq#0;2;0;0;0${esc}\\`],
    ["8-bit strings", "\u009d0;title\u009c"],
    ["hidden and reordering characters", "\u200b\u202e\u2066\ufeff"],
    ["other control characters", "\u0000\u0001\u0007\u007f\u0085"],
    ["a sequence that was broken off", `${esc}[31\u0018`],
    ["an endless sequence", `${esc}[${"1;".repeat(1000)}m`],
  ])("drops %s", (_, text) => {
    expect(pass(`a${text}b`)).toBe("ab");
  });

  test("bounds what a terminal repeats", () => {
    expect(pass(`${esc}[2147483647S`)).toBe(`${esc}[30S`);
    expect(pass(`x${esc}[2147483647b`)).toBe(`x${esc}[80b`);
    expect(pass(`${esc}[99999999999C`)).toBe(`${esc}[255C`);
  });

  test("bounds how often one piece scrolls or clears the screen", () => {
    for (const sequence of [`${esc}[30L`, `${esc}c`, `${esc}[2J`, `${esc}[?1049h`]) {
      const kept = pass(sequence.repeat(10_000)).length / sequence.length;
      expect(kept).toBeLessThan(1000);
      expect(kept).toBeGreaterThan(100);
    }
  });

  test("bounds the marks and joiners on one character", () => {
    expect(pass(`a${"\u0301".repeat(1000)}`)).toHaveLength(7);
    expect(pass("👩\u200d".repeat(1000)).match(/\u200d/g)).toHaveLength(12);
  });

  test("replaces half characters", () => {
    expect(pass("a\ud800b")).toBe("a\ufffdb");
  });

  test("passes the same whatever the pieces", () => {
    const part = fc.oneof(
      fc.string(),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        esc,
        `${esc}[`,
        `${esc}]0;`,
        `${esc}\\`,
        "\u0007",
        "\u009b",
        "999999",
        ";",
        "S",
        "m",
        "\u0018",
        "?",
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const whole = pass(parts.join(""));
        const characters = Array.from(parts.join("").toWellFormed());
        expect(pass(...characters)).toBe(whole);
      }),
    );
  });
});

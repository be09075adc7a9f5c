import { createCanvas } from "@napi-rs/canvas";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { registerFonts } from "../fonts/fonts.ts";
import { type TextStyle, widthOf } from "../fonts/text.ts";
import { Conversation } from "./conversation.ts";
import { readMarkdown } from "./read-markdown.ts";
import { StreamedText } from "./streamed-text.ts";
import { wrap } from "./wrap.ts";

registerFonts();
const context = createCanvas(10, 10).getContext("2d");
const style: TextStyle = { family: "Inter", size: 16 };
const extra = {};
const wrapped = (text: string, width: number) =>
  wrap(context, [{ text, style, extra }], width).map((line) =>
    line.runs
      .map((run) => run.text)
      .join("")
      .trimEnd(),
  );

describe("lines", () => {
  test("break at spaces, inside long words, and between characters without spaces", () => {
    expect(wrapped("one two three", 70)).toEqual(["one two", "three"]);
    expect(wrapped("x".repeat(30), 100).length).toBeGreaterThan(2);
    expect(wrapped("日本語のテキスト", 70).length).toBeGreaterThan(1);
    expect(wrapped("a\n\nb", 100)).toEqual(["a", "", "b"]);
  });

  test("are never wider than their column, and lose nothing but spaces", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 200 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), fc.integer({ min: 40, max: 400 }), (parts, width) => {
        const whole = parts.join(" ").toWellFormed();
        const lines = wrapped(whole, width);
        expect(lines.join("").replace(/\s/g, "")).toBe(whole.replace(/\s/g, ""));
        // A sum of words differs from the whole line by the space between letters.
        for (const line of lines) expect(widthOf(context, line, style)).toBeLessThan(width * 1.1 + 8);
      }),
    );
  });
});

describe("Markdown", () => {
  test("is read while it is still being written", () => {
    expect(readMarkdown("It is **bo")[0]?.spans).toEqual([{ text: "It is " }, { text: "bo", isBold: true }]);
    expect(readMarkdown("Run `ls")[0]?.spans.at(-1)).toEqual({ text: "ls", isCode: true });
    expect(readMarkdown("```sh\nls -l")[0]).toMatchObject({ kind: "code", spans: [{ text: "ls -l" }] });
  });

  test("knows headings, lists, quotes and tables", () => {
    const kinds = readMarkdown(
      "# A\n\n1. one\n2. two\n   - deep\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    );
    expect(kinds.map(({ kind, marker }) => marker ?? kind)).toEqual([
      "heading",
      "1.",
      "2.",
      "•",
      "quote",
      "code",
    ]);
  });

  test("never fails, whatever the text", () => {
    for (const text of [
      ">".repeat(7000),
      "- ".repeat(3500),
      "[".repeat(7000),
      "*_".repeat(3500),
      "`".repeat(7000),
    ])
      expect(readMarkdown(text).length).toBeGreaterThan(0);
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => Array.isArray(readMarkdown(text))));
  });
});

describe("a text that streams in", () => {
  test("appears steadily, whole in the end, and is bounded", () => {
    const text = new StreamedText({ isInstant: false });
    for (let index = 0; index < 5000; index++) text.append(`word ${index} `);
    expect(text.visible).toBe("");
    text.advance(100);
    expect(text.visible.length).toBeGreaterThan(0);
    expect(text.isComplete).toBe(false);
    text.end();
    for (let index = 0; index < 100; index++) text.advance(100);
    expect(text.isComplete).toBe(true);
    expect(text.visible.endsWith("word 4999")).toBe(true);
    expect(text.length).toBeLessThanOrEqual(8000);
  });
});

describe("the conversation", () => {
  test("forgets what has scrolled out, and takes back a discarded step", () => {
    const conversation = new Conversation();
    for (let index = 0; index < 1000; index++) conversation.notice(`${index}`, "plain");
    expect(conversation.blocks.length).toBeLessThan(100);
    conversation.startStep();
    conversation.startMessage("a");
    conversation.discardStep();
    expect(conversation.blocks.every((block) => block.kind === "notice")).toBe(true);
  });
});

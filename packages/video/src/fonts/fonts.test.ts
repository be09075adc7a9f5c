import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, test } from "vitest";
import { familyOf, registerFonts } from "./fonts.ts";
import { drawText, type TextStyle } from "./text.ts";

registerFonts();
const sans: TextStyle = { family: "Inter", size: 24 };
const mono: TextStyle = { family: "JetBrains Mono", size: 24 };

/** The pixels of a text, as one string. */
function picture(text: string, style: TextStyle): string {
  const context = createCanvas(60, 40).getContext("2d");
  context.fillStyle = "#ffffff";
  drawText(context, text, 4, 28, style);
  return Buffer.from(context.getImageData(0, 0, 60, 40).data).toString("latin1");
}

describe("the fonts", () => {
  const blank = picture(" ", sans);

  test.each([
    ["letters", "Aéßжλ"],
    ["box drawing", "┌│╬█▒"],
    ["arrows and signs", "→✓✗●⏱⏩❯⠋"],
    ["Chinese and Japanese", "中文日本テ、"],
    ["Korean", "한국어"],
    ["emoji", "😀🚀✅"],
    ["joined emoji and flags", "👩‍💻"],
    ["a flag", "🇩🇪"],
  ])("draw %s, in text and in the terminal", (_, text) => {
    for (const style of [sans, mono]) {
      const missing = picture("\u{10fffd}", style);
      for (const { segment } of new Intl.Segmenter("en").segment(text)) {
        expect(picture(segment, style), segment).not.toBe(blank);
        expect(picture(segment, style), segment).not.toBe(missing);
      }
    }
  });

  test("have a family for any character", () => {
    for (const cluster of ["a", "\u{10fffd}", "\ud800", "1\ufe0f\u20e3", "ก", "\u0000"])
      expect(familyOf(cluster, "Inter")).not.toBe("");
  });
});

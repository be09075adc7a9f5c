import "./no-system-fonts.ts";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { GlobalFonts } from "@napi-rs/canvas";
import { type Coverage, coverageOfFont, coverageOfText, covers } from "./coverage.ts";

export type TextFamily = "Inter" | "JetBrains Mono";

const symbols = "Noto Sans Symbols 2";
const emoji = "Twemoji";

const files: Array<[family: string, url: string]> = [
  ["Inter", import.meta.resolve("@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf")],
  ["Inter", import.meta.resolve("@expo-google-fonts/inter/400Regular_Italic/Inter_400Regular_Italic.ttf")],
  ["Inter", import.meta.resolve("@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf")],
  [
    "JetBrains Mono",
    import.meta.resolve("@expo-google-fonts/jetbrains-mono/400Regular/JetBrainsMono_400Regular.ttf"),
  ],
  [
    "JetBrains Mono",
    import.meta.resolve("@expo-google-fonts/jetbrains-mono/700Bold/JetBrainsMono_700Bold.ttf"),
  ],
  [
    symbols,
    import.meta.resolve("@expo-google-fonts/noto-sans-symbols-2/400Regular/NotoSansSymbols2_400Regular.ttf"),
  ],
  [emoji, import.meta.resolve("twemoji-colr-font/twemoji.woff2")],
];

/** Fonts in a hundred files, each for some of the characters. A file is loaded when it is first needed. */
const splitFonts: Array<[name: string, url: string]> = [
  ["sc", import.meta.resolve("@fontsource-variable/noto-sans-sc/package.json")],
  ["kr", import.meta.resolve("@fontsource-variable/noto-sans-kr/package.json")],
];

interface SplitFile {
  family: string;
  path: string;
  coverage: Coverage;
  isLoaded: boolean;
}

const coverages = new Map<string, Coverage>();
const splitFiles: SplitFile[] = [];

/** Registers the fonts of all scenes. Canvas draws nothing at all, without an error, in a font that it lacks: so this throws. */
export function registerFonts(): void {
  if (coverages.size > 0) return;
  for (const [family, url] of files) {
    const path = fileURLToPath(url);
    register(family, path);
    if (path.endsWith("Regular.ttf")) coverages.set(family, coverageOfFont(path));
  }
  for (const [name, url] of splitFonts) splitFiles.push(...filesOf(name, dirname(fileURLToPath(url))));
}

/** The family that draws a character, given as its grapheme cluster, if the text around it is in `preferred`. */
export function familyOf(cluster: string, preferred: TextFamily): string {
  const codePoint = cluster.codePointAt(0) ?? 0;
  if (codePoint < 0x250) return isKeycap(cluster) ? emoji : preferred;
  if (isEmoji(cluster)) return emoji;
  const other: TextFamily = preferred === "Inter" ? "JetBrains Mono" : "Inter";
  const found = [preferred, symbols, other].find((family) => covers(coverages.get(family) ?? [], codePoint));
  return found ?? splitFamilyOf(codePoint) ?? (isPictograph(cluster) ? emoji : preferred);
}

/** Such characters are exactly as wide as a cell of a terminal. */
export function isOfCodeFont(character: string): boolean {
  return familyOf(character, "JetBrains Mono") === "JetBrains Mono";
}

function isEmoji(cluster: string): boolean {
  return /^(?:\p{Emoji_Presentation}|\p{RI}{2}|\p{Emoji}\ufe0f)/u.test(cluster);
}

function isKeycap(cluster: string): boolean {
  return cluster.length > 2 && cluster.endsWith("\u20e3");
}

function isPictograph(cluster: string): boolean {
  return /^\p{Extended_Pictographic}/u.test(cluster);
}

function splitFamilyOf(codePoint: number): string | undefined {
  const found = splitFiles.find(({ coverage }) => covers(coverage, codePoint));
  if (found === undefined) return undefined;
  if (!found.isLoaded) register(found.family, found.path);
  found.isLoaded = true;
  return found.family;
}

function filesOf(name: string, folder: string): SplitFile[] {
  const ranges: Record<string, string> = JSON.parse(readFileSync(join(folder, "unicode.json"), "utf8"));
  return Object.entries(ranges).map(([key, text]) => {
    const part = key.replace(/[[\]]/g, "");
    return {
      family: `Noto Sans ${name} ${part}`,
      path: join(folder, "files", `noto-sans-${name}-${part}-wght-normal.woff2`),
      coverage: coverageOfText(text),
      isLoaded: false,
    };
  });
}

function register(family: string, path: string): void {
  if (GlobalFonts.registerFromPath(path, family) === null) throw new Error(`cannot load the font ${path}`);
}

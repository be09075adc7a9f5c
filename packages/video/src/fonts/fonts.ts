import "./no-system-fonts.ts";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { GlobalFonts } from "@napi-rs/canvas";

/** Families for `font`. The later ones of a list draw what the earlier ones lack. */
export const families = {
  sans: `"Inter", "Noto Sans Symbols 2", "Twemoji", "CJK", "Hangul"`,
  mono: `"JetBrains Mono", "Noto Sans Symbols 2", "Twemoji", "CJK", "Hangul"`,
};

const single: Array<[family: string, url: string]> = [
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
    "Noto Sans Symbols 2",
    import.meta.resolve("@expo-google-fonts/noto-sans-symbols-2/400Regular/NotoSansSymbols2_400Regular.ttf"),
  ],
  ["Twemoji", import.meta.resolve("twemoji-colr-font/twemoji.woff2")],
];
/** Fonts that come in a hundred files, one for each group of characters. */
const split: Array<[family: string, url: string]> = [
  ["CJK", import.meta.resolve("@fontsource-variable/noto-sans-sc/package.json")],
  ["Hangul", import.meta.resolve("@fontsource-variable/noto-sans-kr/package.json")],
];

let areRegistered = false;

/** Registers the fonts of all scenes. Canvas draws nothing at all, without an error, in a font that it lacks: so this throws. */
export function registerFonts(): void {
  if (areRegistered) return;
  for (const [family, url] of single) register(family, fileURLToPath(url));
  for (const [family, url] of split) {
    const folder = join(dirname(fileURLToPath(url)), "files");
    const names = readdirSync(folder).filter((name) => name.endsWith(".woff2"));
    if (names.length === 0) throw new Error(`no font files are in ${folder}`);
    for (const name of names.sort()) register(family, join(folder, name));
  }
  areRegistered = true;
}

function register(family: string, path: string): void {
  if (GlobalFonts.registerFromPath(path, family) === null) throw new Error(`cannot load the font ${path}`);
}

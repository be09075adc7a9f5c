import type { Plugin } from "vite";
import { type Palette, palettes, type Theme } from "../video/src/theme/palettes.ts";

const id = "virtual:palette.css";

/** The colours of recordings as variables, so that both have one palette. */
export function paletteCss(): Plugin {
  return {
    name: "palette-css",
    resolveId: (name) => (name === id ? `\0${id}` : undefined),
    load: (name) => (name === `\0${id}` ? css() : undefined),
  };
}

function css(): string {
  const { dark, light } = { dark: variables("dark"), light: variables("light") };
  return `:root { color-scheme: light; ${light} }
:root[data-theme="dark"] { color-scheme: dark; ${dark} }
`;
}

function variables(theme: Theme): string {
  return Object.entries(colours(palettes[theme], theme))
    .map(([name, colour]) => `--${name}: ${colour};`)
    .join(" ");
}

function colours(palette: Palette, theme: Theme): Record<string, string> {
  const { accent, accentEnd } = palettes.light;
  return {
    ground: palette.background[0],
    panel: theme === "dark" ? palette.background[1] : palette.window,
    raised: palette.chip,
    line: palette.border,
    text: palette.text,
    muted: palette.muted,
    faint: palette.faint,
    accent: palette.accent,
    code: palette.code,
    "code-text": palette.codeText,
    good: palette.good,
    warn: palette.warn,
    bad: palette.bad,
    shadow: palette.shadow,
    // White text is legible on these alone.
    "primary-from": accent,
    "primary-to": accentEnd,
    ...Object.fromEntries(palette.ansi.map((colour, index) => [`ansi-${index}`, colour])),
  };
}

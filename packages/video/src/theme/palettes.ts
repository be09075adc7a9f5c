export type Theme = "dark" | "light";

/** Colours, as `#rrggbb`. */
export interface Palette {
  background: readonly [top: string, bottom: string];
  /** A soft light behind the cards, with its alpha. */
  glow: string;
  window: string;
  titleBar: string;
  border: string;
  shadow: string;
  text: string;
  muted: string;
  faint: string;
  accent: string;
  accentEnd: string;
  onAccent: string;
  bubble: string;
  code: string;
  codeText: string;
  chip: string;
  good: string;
  bad: string;
  warn: string;
  cursor: string;
  /** The 16 colours of a terminal. */
  ansi: readonly string[];
}

const dark: Palette = {
  background: ["#0d1018", "#131726"],
  glow: "#6d5efc33",
  window: "#0b0e15",
  titleBar: "#151a26",
  border: "#272e40",
  shadow: "#00000088",
  text: "#e7eaf3",
  muted: "#98a2b8",
  faint: "#7783a0",
  accent: "#7c6cff",
  accentEnd: "#4f8dff",
  onAccent: "#ffffff",
  bubble: "#1c2233",
  code: "#0f131e",
  codeText: "#b9c6ff",
  chip: "#171c2a",
  good: "#45d69a",
  bad: "#ff7280",
  warn: "#ffc15e",
  cursor: "#a99fff",
  ansi: [
    ...["#2b3245", "#ff7280", "#5fdba7", "#ffcb6b", "#82aaff", "#c792ea", "#76dcf0", "#d5dbe9"],
    ...["#68738d", "#ff9aa4", "#8deac3", "#ffe09a", "#a9c5ff", "#ddb6f6", "#a6ecf8", "#ffffff"],
  ],
};

const light: Palette = {
  background: ["#eef1f8", "#e6e9f5"],
  glow: "#7c6cff22",
  window: "#ffffff",
  titleBar: "#f4f6fb",
  border: "#d5dae6",
  shadow: "#2a2f5526",
  text: "#1b2233",
  muted: "#566079",
  faint: "#78829a",
  accent: "#5b4be0",
  accentEnd: "#2f6fe4",
  onAccent: "#ffffff",
  bubble: "#ffffff",
  code: "#f2f4fa",
  codeText: "#3b35a8",
  chip: "#f8f9fd",
  good: "#12855a",
  bad: "#cc2f45",
  warn: "#96610a",
  cursor: "#5b4be0",
  ansi: [
    ...["#1b2233", "#cc2f45", "#12855a", "#96610a", "#2456c8", "#8a34b5", "#0b7285", "#6b7590"],
    ...["#566079", "#e0485d", "#1f9d6d", "#b3780f", "#3d72e6", "#a44fd0", "#128da3", "#3a4357"],
  ],
};

export const palettes: Record<Theme, Palette> = { dark, light };

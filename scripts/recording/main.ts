// Records the first steps of the README in real terminals and draws them: npm run record. Needs Linux, for `script`.
import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { framesOf } from "./screen.ts";
import { recordSession } from "./session.ts";
import { renderSvg } from "./svg.ts";

const folder = resolve(import.meta.dirname, "../../docs/images");
const description =
  "A terminal: npm start prints an address and a key; in a second terminal, an agent is pushed, answers in a chat, and calls a tool that a script executes.";

const scenes = await recordSession();
const reels = await Promise.all(
  scenes.map(async ({ title, output }) => ({ title, frames: await framesOf(output) })),
);
await mkdir(folder, { recursive: true });
const svg = renderSvg(reels, description);
await writeFile(resolve(folder, "first-steps.svg"), svg);
const count = reels.reduce((sum, { frames }) => sum + frames.length, 0);
console.log(`docs/images/first-steps.svg: ${count} pictures, ${Math.round(svg.length / 1024)} KB`);

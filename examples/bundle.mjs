// Prints an agent folder as the JSON body that POST /api/agents takes.
// Usage: node examples/bundle.mjs support-chat | curl … -d @-
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const name = process.argv[2];
const folder = join(dirname(fileURLToPath(import.meta.url)), name ?? "");
if (!name || !existsSync(join(folder, "protocol.yaml"))) {
  console.error("Usage: node examples/bundle.mjs <agent folder in examples/>");
  process.exit(1);
}

const prompts = join(folder, "prompts");
const promptFiles = readdirSync(prompts, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".md"),
);
const text = (...path) => readFileSync(join(...path), "utf8");

console.log(
  JSON.stringify({
    settings: JSON.parse(text(folder, "settings.json")),
    protocol: text(folder, "protocol.yaml"),
    prompts: promptFiles.sort().map((file) => ({
      name: relative(prompts, join(prompts, file)).replaceAll("\\", "/").replace(/\.md$/, ""),
      content: text(prompts, file).trimEnd(),
    })),
  }),
);

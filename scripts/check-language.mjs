// Counts phrases that a native editor would rewrite, in comments, test titles and documentation. Each phrase has a
// ceiling, which only falls; above it, every place is printed.
//   node scripts/check-language.mjs [--list] [FOLDER]      --list prints every place in any case
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { phrases } from "./phrases.mjs";

const lineWidth = "line of more than 120 characters";

const list = process.argv.includes("--list");
const root = process.argv.slice(2).find((word) => !word.startsWith("-")) ?? join(import.meta.dirname, "..");
const ignored =
  /node_modules|^proto\/gen\/|^packages\/client\/src\/wire-types|^scripts\/(check-language|rules\.test)|(^|\/)(corpus|fixtures|prompts)\//;
const passages = globSync("**/*.{ts,tsx,mjs,md}", {
  cwd: root,
  exclude: (name) => /^(node_modules|\..+)$/.test(name),
})
  .filter((file) => !ignored.test(file) && file !== "CONTRIBUTING.md")
  .sort()
  .flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return (file.endsWith(".md") ? proseOf(text) : [...commentsOf(text), ...titlesOf(text)]).map(
      (passage) => ({
        file,
        ...passage,
      }),
    );
  });

for (const [phrase, pattern, ceiling, replacement] of phrases) {
  const places = passages
    .filter(({ isLine = false }) => isLine === (phrase === lineWidth))
    .flatMap((passage) => placesOf(passage, pattern));
  if (list || places.length > ceiling) for (const place of places) console.error(`${place}: ${phrase}`);
  if (places.length > ceiling) {
    console.error(
      `language: ${phrase}: ${places.length} instead of at most ${ceiling}; write: ${replacement}`,
    );
    process.exitCode = 1;
  } else if (places.length < ceiling)
    console.log(`language: the ceiling of "${phrase}" can fall to ${places.length}`);
}
if (process.exitCode === undefined) console.log("language: no phrase is above its ceiling");

/** Each comment once, with the line at which it begins. */
function commentsOf(text) {
  const comments = [];
  let open;
  for (const [index, line] of text.split("\n").entries()) {
    const [, own] = /^\s*(?:\/\*\*?|\*(?!\/)|\/\/)\s?(.*?)\s*(?:\*\/)?$/.exec(line) ?? [];
    const comment = own ?? /\s\/\/ (.*)$/.exec(line)?.[1];
    if (own !== undefined && open !== undefined && !/^\s*\/\*/.test(line)) open.text += `\n${own}`;
    else if (comment !== undefined) comments.push({ line: index + 1, text: comment });
    open = own === undefined || line.endsWith("*/") ? undefined : comments.at(-1);
  }
  return comments;
}

function titlesOf(text) {
  const titles = text.matchAll(/\b(?:test|it|describe)(?:\.\w+)*\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gs);
  return Array.from(titles, ({ index, 2: title }) => ({
    line: text.slice(0, index).split("\n").length,
    text: title,
  }));
}

/** Paragraphs without code, and each line of them for its width; lines of tables may be longer. */
function proseOf(text) {
  const passages = [];
  let inCode = false;
  let paragraph;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*(```|~~~)/.test(line)) inCode = !inCode;
    const isProse = !inCode && !/^\s*(```|~~~|$)/.test(line);
    const words = line.replaceAll(/`[^`]*`|https?:\S+/g, "``");
    if (isProse && paragraph !== undefined && !/^\s*([-*|#]|\d+\. )/.test(line))
      paragraph.text += `\n${words.trim()}`;
    else if (isProse && !line.startsWith("#")) {
      paragraph = { line: index + 1, text: words.replace(/^\s*([-*|#]+|\d+\.) */, "") };
      passages.push(paragraph);
    } else paragraph = undefined;
    if (isProse && !/^\s*(\||<!--)/.test(line)) passages.push({ line: index + 1, text: line, isLine: true });
  }
  return passages;
}

function placesOf({ file, line, text }, pattern) {
  return Array.from(
    text.matchAll(pattern),
    ({ index }) => `${file}:${line + text.slice(0, index).split("\n").length - 1}`,
  );
}

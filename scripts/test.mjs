// Runs the tests of every workspace with Node's own runner:
//   npm test                                  all of them
//   npm test -- packages/rpc                  files whose path contains the text (several are allowed)
//   npm test -- --name "loses no call"        tests whose title matches the regular expression
// Fails when a test fails, when a file holds no test, when nothing ran, and when the run does not come to an end.
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findNatsServer } from "./setup/nats-server.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const testTimeoutMs = 60_000;
const runTimeoutMs = 12 * 60_000;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { name: { type: "string", multiple: true, default: [] } },
});

const files = findTestFiles(positionals);
if (files.length === 0) {
  console.error(`No test file matches ${positionals.join(" ") || "**/*.test.ts"}`);
  process.exit(1);
}
extendPath();
// Every file runs in a process of its own, and most of them load the whole of Muster.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/compiled");

const stopped = new AbortController();
const unfinished = new Set(files);
const started = new Set();
const events = run({
  files,
  concurrency: Math.min(4, Math.max(2, availableParallelism())),
  timeout: testTimeoutMs,
  testNamePatterns: values.name.map((pattern) => new RegExp(pattern)),
  signal: stopped.signal,
});
// A test that timed out may leave something open that keeps its process alive; the runner would wait for ever.
const watchdog = setTimeout(giveUp, runTimeoutMs);

let success = false;
events.on("test:dequeue", ({ file }) => started.add(file));
events.on("test:summary", (summary) => {
  if (summary.file === undefined) success = summary.success;
  else if (summary.counts.tests > 0) unfinished.delete(summary.file);
});
events.on("end", () => {
  clearTimeout(watchdog);
  process.exitCode = success && enoughRan() ? 0 : 1;
});
events.compose(spec).pipe(process.stdout);

function findTestFiles(filters) {
  const all = globSync("**/*.test.{ts,mjs}", { cwd: root, exclude: (name) => name === "node_modules" });
  const wanted = filters.map((filter) => filter.replace(/^\.\//, "").replace(/\/$/, ""));
  return all
    .filter((file) => wanted.length === 0 || wanted.some((filter) => file.includes(filter)))
    .sort()
    .map((file) => join(root, file));
}

/** Tests start nats-server and tools by name, as npm scripts do. */
function extendPath() {
  const natsServer = findNatsServer();
  const folders = [join(root, "node_modules", ".bin"), ...(natsServer ? [dirname(natsServer)] : [])];
  process.env.PATH = [...folders, process.env.PATH].join(delimiter);
}

function enoughRan() {
  if (unfinished.size === files.length) {
    console.error("No test ran");
    return false;
  }
  // With --name most files run nothing, on purpose.
  if (values.name.length > 0) return true;
  for (const file of unfinished) console.error(`${relative(root, file)} holds no test`);
  return unfinished.size === 0;
}

function giveUp() {
  const hanging = [...unfinished].filter((file) => started.has(file));
  console.error(`The tests did not end within ${runTimeoutMs / 60_000} minutes. Still running:`);
  for (const file of hanging) console.error(`  ${relative(root, file)}`);
  stopped.abort();
  process.exit(1);
}

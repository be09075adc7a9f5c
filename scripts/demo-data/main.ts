// Fills a data folder with a week of work: npm run demo-data. docs/console.md describes it.
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { stopAll } from "@muster/service";
import { fill } from "./fill.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "demo-data-home" },
    sessions: { type: "string", default: "120" },
    seed: { type: "string", default: "1" },
    serve: { type: "boolean", default: false },
    port: { type: "string", default: "8080" },
  },
});
const data = resolve(values.data);
if (existsSync(data) && readdirSync(data).length > 0) {
  console.error(`${data} is not empty: remove it, or name another folder with --data.`);
  process.exit(1);
}

// Threads and processes run the bundle, which loads in less than half the time.
const bundle = resolve(import.meta.dirname, "../../node_modules/.cache/muster/current");
if (existsSync(bundle)) {
  process.env.TEST_BUNDLE ??= realpathSync(bundle);
  process.env.NODE_COMPILE_CACHE ??= join(process.env.TEST_BUNDLE, "compiled");
}

const closers: Array<() => Promise<unknown>> = [];
const scope = { onTestFinished: (close: () => unknown) => void closers.push(async () => close()) };
const stop = () => stopAll(closers.splice(0).reverse());
const startedMs = performance.now();
try {
  const { url, key } = await fill(scope, {
    settings: { DATA_DIR: data, ...(values.serve && { PORT: values.port }) },
    sessions: Number(values.sessions),
    seed: Number(values.seed),
    isServed: values.serve,
  });
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  console.log(`A week of work is in ${data}, after ${seconds} s.\n\nAdmin key:  ${key}\n`);
  if (values.serve) {
    console.log(`The console is at ${url}/console, with scripted models. Stop with Ctrl-C.`);
    await new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
  } else console.log(`Start it, and open /console:\n  DATA_DIR=${data} npm start`);
} finally {
  await stop();
}

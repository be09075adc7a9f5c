#!/usr/bin/env node
// Plain JavaScript: the published package has a bundle beside this file, and the repository runs the sources.
import { existsSync } from "node:fs";

const bundle = new URL("./start.mjs", import.meta.url);
await import(existsSync(bundle) ? bundle.href : new URL("../src/main.ts", import.meta.url).href);

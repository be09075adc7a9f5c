// Starts the command in this process, which runs on Node 24.
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Starting takes a third of the time with it. In a folder of the installation: what lies there is run.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)));
await import("../src/main.ts");

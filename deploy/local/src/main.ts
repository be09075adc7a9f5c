import { loadEmbeddedStore } from "@muster/embedded-store";
import { keepCompiledCode } from "./compiled-code.ts";

/* Loads what can be loaded at the same time: the store's thread here, and then everything else. */

// Before any of the other modules, some two thousand, is compiled: nothing large may be imported above.
keepCompiledCode(process.env);
const store = process.env.MONGODB_URI ? undefined : loadEmbeddedStore();
const { run } = await import("./run.ts");
await run(store);

import { keepCompiledCode } from "./keep-compiled-code.mjs";

/*
 * The program behind `npm start`. JavaScript, like its first imports: Node can read a TypeScript module from the
 * compiled code that earlier starts left, but one that is loaded before that is set up makes Node load its TypeScript
 * compiler, which takes longer than starting Node itself.
 */

// Before any of the other modules, some two thousand, is resolved and compiled: nothing large may be imported above.
keepCompiledCode(process.env);
await import("@muster/service/quick-imports");
// The store's thread loads its modules while this one loads all others.
const { loadEmbeddedStore } = await import("@muster/embedded-store");
const store = process.env.MONGODB_URI ? undefined : loadEmbeddedStore();
const { run } = await import("./run.ts");
await run(store);

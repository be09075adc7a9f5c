// The store's thread loads its modules while this one loads all others.
const { loadEmbeddedStore } = await import("@muster/embedded-store");
const store = process.env.MONGODB_URI ? undefined : loadEmbeddedStore();
const { run } = await import("./run.ts");
await run(store);

export {};

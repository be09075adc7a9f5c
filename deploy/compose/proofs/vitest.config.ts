import base from "../../../vitest.config.ts";

const { projects: _, ...test } = base.test ?? {};

/** Tests with nginx or promtool, which most machines lack: `npm test` does not run them. */
export default { ...base, test: { ...test, include: ["deploy/compose/proofs/*.proof.ts"] } };

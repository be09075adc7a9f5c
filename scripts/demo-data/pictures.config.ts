import base from "../../vitest.config.ts";

const { projects: _, ...test } = base.test ?? {};

/** Draws pictures, which `npm test` does not. */
export default { ...base, test: { ...test, include: ["scripts/demo-data/pictures.proof.ts"] } };

/** The commands that read, write or compile agent folders. They are loaded together, and only if one of them may run. */
export { dev } from "./dev.ts";
export { diff } from "./diff.ts";
export { newAgent } from "./new.ts";
export { pull } from "./pull.ts";
export { push } from "./push.ts";
export { show } from "./show.ts";
export { validate } from "./validate.ts";

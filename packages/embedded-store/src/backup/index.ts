export { backUp } from "./back-up.ts";
export { BackupError } from "./copy.ts";
export { restore } from "./restore.ts";

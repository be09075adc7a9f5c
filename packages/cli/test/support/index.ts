export * from "./folders.ts";
export * from "./muster.ts";
export { onlineCommands } from "./online-commands.ts";

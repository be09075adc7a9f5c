export { type Moved, moveTo } from "./move.ts";

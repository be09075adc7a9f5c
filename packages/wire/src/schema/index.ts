export type { Static, TProperties, TSchema } from "typebox";
export { Type } from "./type.ts";

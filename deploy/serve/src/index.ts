export { processNames, serve } from "./serve.ts";

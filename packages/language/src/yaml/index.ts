export { parseYaml } from "./parse-yaml.ts";
export { renderYaml } from "./render-yaml.ts";
export type { MapNode, SyntaxNode } from "./syntax.ts";

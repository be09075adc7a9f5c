// Apart from the rest, because it reads YAML: a process that only runs what was compiled need not load what does.
export { type Compilation, type CompileOptions, compileDefinition } from "./compile-definition.ts";
export { parseYaml } from "./yaml/parse-yaml.ts";
export { printProtocol } from "./yaml/print-protocol.ts";

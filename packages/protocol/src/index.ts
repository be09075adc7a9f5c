export { blocksNotRunYet, notRunYet, threadKeysNotRunYet } from "./availability.ts";
export { checkInput, type InputCheck } from "./check-input.ts";
export { checkValue, type ValueIssue } from "./check-value.ts";
export {
  type Compilation,
  type CompileOptions,
  compileDefinition,
  type DeclaredWorker,
} from "./compile.ts";
export {
  type Diagnostic,
  type DiagnosticCode,
  diagnosticCodes,
  type Place,
  type Position,
  Report,
  type Severity,
} from "./diagnostics.ts";
export { protocolEditorSchema, settingsEditorSchema } from "./editor-schema.ts";
export { type Grammar, protocolGrammar } from "./grammar.ts";
export type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
export { definitionLimits } from "./limits.ts";
export { modelIdPattern, modelProviders } from "./model-id.ts";
export { isName, type NameKind, nameHint, nameRules } from "./names.ts";
export { parseYaml } from "./parse-yaml.ts";
export { printProtocol } from "./print.ts";
export type * from "./program.ts";
export type { FieldShape, FieldShapes, Shape, Variant } from "./shapes.ts";
export { type DefinitionSource, findOversize, type SizeProblem } from "./source.ts";
export { closest } from "./suggest.ts";
export type { ListNode, MapEntry, MapNode, ScalarNode, SyntaxNode } from "./syntax.ts";
export {
  type Condition,
  mapInput,
  maxRenderedLength,
  PromptTooLargeError,
  renderTemplate,
  type Template,
  type TemplatePart,
} from "./template.ts";
export { checkWorkers, type KnownAgent, maxDeclaredWorkers, type WorkerGraphRoot } from "./worker-graph.ts";

export {
  approvalOf,
  approvalTitle,
  asksFor,
  expiryLimits,
  ownersRule,
  ruleOf,
  stricter,
  strictest,
} from "./approval.ts";
export {
  blocksNotRunYet,
  isRunYet,
  type KindNotRunYet,
  type KindRunYet,
  threadKeysNotRunYet,
} from "./availability.ts";
export { threadUseOf } from "./blocks/block-kinds.ts";
export {
  checkWorkers,
  type DeclaredWorker,
  type KnownAgent,
  maxDeclaredWorkers,
  type WorkerGraphRoot,
} from "./checks/worker-graph.ts";
export { definitionLimits } from "./definition-limits.ts";
export {
  type Diagnostic,
  type DiagnosticCode,
  diagnosticCodes,
  type Place,
  type Position,
  Report,
  type Severity,
} from "./diagnostics.ts";
export { protocolEditorSchema, settingsEditorSchema } from "./grammar/editor-schema.ts";
export { type Grammar, protocolGrammar } from "./grammar/protocol-grammar.ts";
export type { FieldShape, FieldShapes, Shape, Variant } from "./grammar/shapes.ts";
export { type MessageTrigger, messageTriggerName, messageTriggerOf } from "./message-trigger.ts";
export {
  computerNamespaces,
  computerToolParameters,
  isComputerNamespace,
  isName,
  matchesPattern,
  type NameKind,
  nameHint,
  nameRules,
} from "./names/names.ts";
export { closest } from "./names/suggest.ts";
export type * from "./program.ts";
export { type CompiledTemplate, compileTemplate } from "./prompts/compile-template.ts";
export {
  type Condition,
  type InputMapping,
  mapInput,
  maxRenderedLength,
  PromptTooLargeError,
  renderTemplate,
  type Template,
  type TemplatePart,
} from "./prompts/template.ts";
export { canonicalModelId, modelIdPattern, modelProviders } from "./readers/model-id.ts";
export { type DefinitionSource, findOversize, type SizeProblem } from "./source.ts";
export { isFileSchema } from "./types/resolve-type.ts";
export { checkInput, type InputCheck, type InputOptions } from "./values/check-input.ts";
export { checkValue, type Effort, EffortExceededError, type ValueIssue } from "./values/check-value.ts";
export {
  findJsonProblem,
  forbiddenKeys,
  isJsonObject,
  isJsonValue,
  isPlainObject,
  type JsonObject,
  type JsonResult,
  type JsonSchema,
  type JsonValue,
  maxJsonDepth,
  parseJson,
  parseJsonObject,
} from "./values/json.ts";
export { schemaProblem } from "./values/schema-problem.ts";
export type { ListNode, MapEntry, MapNode, ScalarNode, SyntaxNode } from "./yaml/syntax.ts";

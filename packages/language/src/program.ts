/**
 * The compiled definition, which the engine interprets. Plain immutable data, every name resolved, every prompt
 * parsed, every type a JSON Schema.
 */

import type { InputMapping, Template } from "./prompts/template.ts";
import type { JsonObject, JsonSchema, JsonValue } from "./values/json.ts";

export type Format = "interactive" | "worker";

export type Program = InteractiveProgram | WorkerProgram;

/** The declarations of both formats. Names inside `input`, `variables` and `resources` are disjoint. */
interface Declarations {
  /** Set when the session is created; never changes. */
  readonly input: Readonly<Record<string, VariableSpec>>;
  /** Written by `output` of blocks; initially their default, or NONE without one. */
  readonly variables: Readonly<Record<string, VariableSpec>>;
  /** Written by set-resource; initially their default, or NONE without one. */
  readonly resources: Readonly<Record<string, ResourceSpec>>;
  readonly tools: Readonly<Record<string, ToolSpec>>;
  /** Other agents of the project, of format worker, by slug. */
  readonly workers: Readonly<Record<string, WorkerSpec>>;
  /** By namespace; their tools are called `namespace__tool`. */
  readonly mcpServers: Readonly<Record<string, McpServerSpec>>;
  readonly skills: Readonly<Record<string, SkillSpec>>;
  /** How connected servers appear that `mcpServers` does not name, by their source. */
  readonly onDemandMcpServers: Readonly<Partial<Record<McpSource, OnDemandSpec>>>;
  /** How connected skills appear that `skills` does not name. Absent: with the defaults. */
  readonly onDemandSkills?: OnDemandSpec;
  readonly capabilities: Readonly<Record<string, CapabilitySpec>>;
  /** The most that one execution may cost, in US dollars. Absent: no limit. */
  readonly maxUsd?: number;
  /** Every reference of the definition, by name. Threads name those that their model may read. */
  readonly references: Readonly<Record<string, ReferenceSpec>>;
}

/** Conversations with state across triggers. Every trigger has a handler. */
export interface InteractiveProgram extends Declarations {
  readonly format: "interactive";
  /** Configuration of the thread `main`. */
  readonly agent: ThreadConfig;
  readonly triggers: Readonly<Record<string, TriggerSpec>>;
  /** Blocks by trigger name, in the order they run. */
  readonly handlers: Readonly<Record<string, readonly Block[]>>;
}

/** One task: runs its steps and returns the value of `output`. */
export interface WorkerProgram extends Declarations {
  readonly format: "worker";
  readonly steps: readonly Block[];
  /** The variable that is returned. */
  readonly output?: string;
}

export interface TriggerSpec {
  readonly description?: string;
  /** Visible only in the blocks of its handler, where it hides a session-wide name. */
  readonly input: Readonly<Record<string, VariableSpec>>;
}

export interface VariableSpec {
  readonly type: TypeRef;
  /** The type with custom types expanded, and with `enum` if it is declared. */
  readonly schema: JsonSchema;
  readonly description?: string;
  /** The value may be absent; without a default it then reads as NONE. */
  readonly optional: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];
}

export interface ResourceSpec extends VariableSpec {
  /** The compiler has refused every block that writes it. */
  readonly readonly: boolean;
}

export type ScalarTypeName = "string" | "number" | "integer" | "boolean" | "unknown" | "file";

export type TypeRef =
  | { readonly kind: ScalarTypeName }
  | { readonly kind: "custom"; readonly name: string }
  | { readonly kind: "array"; readonly items: TypeRef };

export type ModelSetting = { readonly id: string } | VariableUse;

/** The value is read from a session input, variable or resource when the step starts. */
export interface VariableUse {
  readonly variable: string;
}

export type Thinking = "off" | "low" | "medium" | "high" | "xhigh" | "max" | "auto";
export type CacheMode = "auto" | "extended" | "off";

export interface ThreadConfig {
  readonly model: ModelSetting;
  readonly backupModel?: ModelSetting;
  readonly system?: PromptUse;
  /** Names of declared tools that the model may call. */
  readonly tools: readonly string[];
  /** Declared workers that the model may call as tools. */
  readonly workers: readonly string[];
  /** Namespaces of declared MCP servers. */
  readonly mcpServers: readonly string[];
  readonly skills: readonly string[];
  /** Names of references that the model may list and read, with the platform's own tools. */
  readonly references: readonly string[];
  /** Continues after tool calls until the model makes none or reaches `maxSteps`. Default false. */
  readonly agentic: boolean;
  /** Default 10. */
  readonly maxSteps: number | VariableUse;
  /** 0 to 2; none is sent if this is `off` or absent. */
  readonly temperature?: number | "off" | VariableUse;
  readonly thinking?: Thinking | VariableUse;
  readonly cache?: CacheMode;
  readonly maxOutputTokens?: number;
  /** The model reads only the head and tail of a larger tool result, with a note. */
  readonly maxToolOutputTokens?: number;
  /** A generation that degenerates into a short repeated string is cut. Default false. */
  readonly loopGuard: boolean;
  /** The model may search the web. Default false. */
  readonly webSearch: boolean;
  /** The model may generate images with this model, `provider/model-id`. */
  readonly imageModel?: string;
  /** The model may keep a to-do list. Default false. */
  readonly todoList: boolean;
  readonly contextManagement?: ContextManagement;
  /** `fast` asks models that have a fast mode for it. */
  readonly speed?: Speed | VariableUse;
  /** Width and height in pixels beyond which the model gets a scaled-down image. */
  readonly maxImageDimension?: number;
  /** How long the script of a skill may run. Absent: 300,000 ms. */
  readonly sandboxTimeoutMs?: number;
  /** The model may speak with this model and voice, transcribe with this one, and generate videos with this one. */
  readonly speechModel?: string;
  readonly speechVoice?: string;
  readonly transcriptionModel?: string;
  readonly videoModel?: string;
  /** The model may use every connected MCP server of these sources. */
  readonly onDemandMcpServers: readonly McpSource[];
  /** The model may use connected skills: all, those of these kinds of computers, or (default) none. */
  readonly onDemandSkills: boolean | readonly Computer[];
  /** Options that only models of Anthropic have. */
  readonly anthropic?: AnthropicOptions;
}

export type Speed = "fast" | "standard";

/** Tools and skills that Anthropic itself runs. */
export interface AnthropicOptions {
  readonly tools: Readonly<Partial<Record<"web-search" | "code-execution", ProviderLook>>>;
  /** By the provider's id of the skill. */
  readonly skills: Readonly<Record<string, ProviderSkill>>;
}

/** The view that clients have of something that the provider runs. */
export interface ProviderLook {
  /** Default `description`. */
  readonly display: Display;
  readonly title?: string;
  readonly description?: string;
}

export interface ProviderSkill extends ProviderLook {
  readonly type: "anthropic" | "custom";
  /** Absent: the latest. */
  readonly version?: string;
}

/** Above the threshold of the model's context window, older turns are folded into a running summary. */
export interface ContextManagement {
  /** A declared worker that writes the summary. Absent: the thread's own model writes it. */
  readonly summarizerWorker?: string;
  /** Percentage of the context window, above 0 and up to 100. Default 80. */
  readonly thresholdPercent: number;
  /** Share of the context window, 0 to 100, that stays unchanged. Default 20. */
  readonly recentPercent: number;
  /** How many of the newest messages stay unchanged. Not run yet: `recentPercent` decides. */
  readonly recentWindow?: number;
}

export interface PromptUse {
  /** Name of the prompt, for logs. */
  readonly name: string;
  readonly template: Template;
  readonly input: InputMapping;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly title?: string;
  /** Default `description`. */
  readonly display: Display;
  /** Always of type object. */
  readonly inputSchema: JsonSchema;
  readonly approval?: ApprovalRule;
  /** The platform sends its calls to this service. Absent: the turn's caller runs the tool. */
  readonly http?: HttpToolSpec;
}

export interface HttpToolSpec {
  readonly url: string;
  /** Default `POST`. */
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** For the whole answer. Default 30,000. */
  readonly timeoutMs: number;
  /** A call that was sent twice is as one. Default false. */
  readonly idempotent: boolean;
  /** How long the service may take to answer a call that it has accepted. Default: 24 hours. */
  readonly openForMs: number;
}

/** When a call of a tool waits for a user's decision. */
export interface ApprovalRule {
  readonly mode: "allow" | "ask" | "deny";
  /** Only calls whose arguments match this schema wait. Absent: all. Only with `ask`. */
  readonly schema?: JsonSchema;
  /** `untrusted`: only once the conversation has read text of others. */
  readonly when: "always" | "untrusted";
  /** For the user who decides, filled in with the arguments. */
  readonly title?: Template;
  /** How long a call waits. */
  readonly expiresMs: number;
  /** `deny`: the model reads that the call was denied. `fail`: the turn fails. */
  readonly onExpiry: "deny" | "fail";
}

export interface WorkerSpec {
  readonly slug: string;
  /** For the model that may call it. */
  readonly description: string;
  readonly title?: string;
  /** Default `description`. */
  readonly display: Display;
  /** For a worker's tool, the declared tool of this definition that replaces it. */
  readonly tools: Readonly<Record<string, string>>;
  readonly approval?: ApprovalRule;
}

export interface McpServerSpec {
  readonly namespace: string;
  readonly description: string;
  /** `remote`: configured for the project; `consumer`, `device`: its tools come with the trigger. */
  readonly source: McpSource;
  /** Default `description`, of computers `stream`. */
  readonly display: Display;
  readonly title?: string;
  /** `lazy`: the model activates it first. Default `lazy`. */
  readonly connection: "lazy" | "eager";
  /** Where a server that is a process runs. Default `sandbox`. */
  readonly execution: Computer;
  readonly contextRetention?: ContextRetention;
  /** For the tools that `tools` does not match. */
  readonly approval?: ApprovalRule;
  /** By name without the namespace, or by a pattern in which `*` matches any text. */
  readonly tools?: Readonly<Record<string, { readonly approval: ApprovalRule }>>;
}

export type McpSource = "remote" | "device" | "consumer";

/** The kinds of computers: one of the platform, or the user's. */
export type Computer = "sandbox" | "device";

/** How much of earlier results stays in the model's context, such as `{toolResults: {retainLast: 5}}`. */
export type ContextRetention = JsonObject;

/** How servers or skills appear that a definition does not name. */
export interface OnDemandSpec {
  readonly description?: string;
  /** Default `description`. */
  readonly display: Display;
  /** Default `sandbox`. */
  readonly execution: Computer;
  readonly contextRetention?: ContextRetention;
}

export interface SkillSpec {
  readonly slug: string;
  readonly description?: string;
  readonly title?: string;
  /** Default `description`. */
  readonly display: Display;
  /** Default `sandbox`. */
  readonly execution: Computer;
  readonly contextRetention?: ContextRetention;
  readonly approval?: ApprovalRule;
}

/** A switch that a workforce run may set. If it is off, its tools, servers and skills are removed. */
export interface CapabilitySpec {
  readonly slug: string;
  readonly description: string;
  /** Whether it is on unless a run sets it. */
  readonly default: boolean;
  readonly tools: readonly string[];
  readonly mcpServers: readonly string[];
  readonly skills: readonly string[];
}

export interface ReferenceSpec {
  readonly name: string;
  /** Offers the choice to the model. */
  readonly description: string;
  readonly content: string;
}

export type Display = "hidden" | "name" | "description" | "stream" | "title";

export type Block =
  | AddMessageBlock
  | NextMessageBlock
  | ToolCallBlock
  | StartThreadBlock
  | SerializeThreadBlock
  | SetResourceBlock
  | RunWorkerBlock
  | GenerateImageBlock
  | GenerateSpeechBlock
  | TranscribeAudioBlock;
export type BlockKind = Block["kind"];
/** The type of the blocks of a kind, or of several. */
export type BlockOf<Kind extends BlockKind> = Extract<Block, { readonly kind: Kind }>;

interface BlockBase {
  /** `<trigger>/<index>`, or `steps/<index>`; unique in the program. */
  readonly id: string;
  /** The name that the author gave it. */
  readonly name: string;
  readonly display: Display;
  readonly title?: string;
  readonly description?: string;
  /** `main` unless named. In an interactive program every other thread has a start-thread block somewhere. */
  readonly thread: string;
}

export interface AddMessageBlock extends BlockBase {
  readonly kind: "add-message";
  readonly role: "user" | "assistant" | "system";
  readonly prompt: PromptUse;
  /** False: the model reads it, the user never sees it. */
  readonly visible: boolean;
  /** Variable that the user sees instead of the text of the prompt. */
  readonly uiContent?: string;
  /** Variables of type file or file[]. */
  readonly files: readonly string[];
}

export interface NextMessageBlock extends BlockBase {
  readonly kind: "next-message";
  /** The response is JSON of this object type and shown as an `object` part. */
  readonly responseType?: { readonly name: string; readonly schema: JsonSchema };
  /** The response does not appear in the main chat. */
  readonly independent: boolean;
  /** Variable that receives the text, or the object if `responseType` is set. */
  readonly output?: string;
}

export interface ToolCallBlock extends BlockBase {
  readonly kind: "tool-call";
  readonly tool: string;
  readonly input: ReadonlyArray<{ readonly name: string } & ArgumentSource>;
  /** Variable that receives the result. */
  readonly output?: string;
}

export type ArgumentSource = { readonly source: string } | { readonly literal: JsonValue };

export interface SetResourceBlock extends BlockBase {
  readonly kind: "set-resource";
  readonly resource: string;
  /** Variable whose value is stored. */
  readonly value: string;
}

/** Opens or reconfigures `thread`. Unless it names a model, its configuration has that of `agent`, and nothing else. */
export interface StartThreadBlock extends BlockBase {
  readonly kind: "start-thread";
  readonly config: ThreadConfig;
}

/** Writes the messages of `thread` into a variable. */
export interface SerializeThreadBlock extends BlockBase {
  readonly kind: "serialize-thread";
  /** Default `markdown`. `json` is a list of `{role, content}`. */
  readonly format: "markdown" | "json";
  readonly output: string;
}

/** Runs a worker to its end. */
export interface RunWorkerBlock extends BlockBase {
  readonly kind: "run-worker";
  /** Declared in `workers`. */
  readonly worker: string;
  readonly input: ReadonlyArray<{ readonly name: string } & ArgumentSource>;
  /** Variable that receives the worker's result. */
  readonly output?: string;
}

export interface GenerateImageBlock extends BlockBase {
  readonly kind: "generate-image";
  /** Variable that contains the description of the image. */
  readonly prompt: string;
  /** `provider/model-id`. Absent: the thread's. */
  readonly imageModel?: string;
  /** Such as `16:9`. Absent: the model decides. */
  readonly aspectRatio?: string;
  /** Absent: the model decides. */
  readonly resolution?: "1K" | "2K" | "4K";
  /** Variables that contain files or their URLs, one or a list. */
  readonly referenceImages: readonly string[];
  /** Variable that receives the file, or its URL if it is a string. */
  readonly output?: string;
}

export interface GenerateSpeechBlock extends BlockBase {
  readonly kind: "generate-speech";
  /** Variable that contains the text. */
  readonly text: string;
  /** `provider/model-id`. Absent: the thread's. */
  readonly speechModel?: string;
  /** Absent: the thread's, or the model's default. */
  readonly voice?: string;
  /** Default `mp3`. */
  readonly format: SpeechFormat;
  /** How to speak, in words. */
  readonly instructions?: string;
  /** Such as `en`. Absent: that of the text. */
  readonly language?: string;
  /** 0.25 to 4. Absent: the model's. */
  readonly speed?: number;
  /** Variable that receives the file, or its URL if it is a string. */
  readonly output?: string;
}

export type SpeechFormat = "mp3" | "wav" | "opus" | "aac" | "flac" | "pcm";

export interface TranscribeAudioBlock extends BlockBase {
  readonly kind: "transcribe-audio";
  /** Variable that contains the file or its URL. */
  readonly audio: string;
  /** `provider/model-id`. Absent: the thread's. */
  readonly transcriptionModel?: string;
  /** Such as `en`. Absent: the model detects it. */
  readonly language?: string;
  /** Whether the text gives the time at which each segment or word begins. Absent: `none`. */
  readonly timestamps?: "none" | "segment" | "word";
  /** Variable that receives the text. */
  readonly output?: string;
}

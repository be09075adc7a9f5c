import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4ProviderTool,
} from "@ai-sdk/provider";
import { Secret } from "@muster/service";
import type { FileSupport } from "./file-kinds.ts";
import type { Thinking, ThinkingFamily } from "./thinking.ts";

/** How long the provider keeps the beginning of the conversation: for minutes, for longer, not at all. */
export type Cache = "auto" | "extended" | "off";

/** `fast` asks a model that has a fast mode for it. */
export type Speed = "fast" | "standard";

/** Tools and skills that the provider runs itself. */
export interface HostedTools {
  readonly tools: readonly ("web-search" | "code-execution")[];
  /** `id`: the provider's. Without a version, the latest one is used. */
  readonly skills: ReadonlyArray<{ type: "anthropic" | "custom"; id: string; version?: string }>;
}

/** The call options that every provider spells differently. Spread them into the call, but add `tools` to its own. */
export type ProviderSettings = Pick<LanguageModelV4CallOptions, "reasoning" | "providerOptions"> & {
  tools?: LanguageModelV4ProviderTool[];
};

/** How this installation reaches one provider. At least one of `apiKey` and `baseUrl` is set. */
export interface ProviderConfig {
  apiKey?: Secret;
  /** Without a trailing slash. May point anywhere the operator wants, loopback included. */
  baseUrl?: string;
  /** One of the definition's `interfaces`, if it has any. */
  interface?: string;
}

export interface ProviderSetup {
  config: ProviderConfig;
  fetch: typeof globalThis.fetch;
}

/** Creates a model from the model part of a model id. */
export type MakeModel = (model: string) => LanguageModelV4;

/** A free request that fails if the key is wrong. */
export interface KeyCheck {
  /** Appended to the base URL. */
  path: string;
  keyHeaders(key: string): Record<string, string>;
  /** Sent with or without a key. */
  headers?: Record<string, string>;
}

/** A provider with more than one API. */
export interface ProviderInterfaces {
  /** The environment variable that selects one. */
  variable: string;
  names: readonly string[];
  defaultFor(baseUrl: string | undefined): string;
}

/** Everything that is specific to one model provider. `providers/index.ts` lists them all. */
export interface ProviderDefinition<Name extends string = string> {
  /** The first part of its model ids. */
  readonly name: Name;
  /** The shape of its model ids, for users. */
  readonly modelIds: string;
  /** First part of its environment variables: `<PREFIX>_API_KEY` and `<PREFIX>_BASE_URL`. */
  readonly variablePrefix: string;
  /** Used without `<PREFIX>_BASE_URL`. Undefined if the operator must set one: a key alone configures nothing then. */
  readonly defaultBaseUrl: string | undefined;
  /** Completes a base URL that is often written in more than one way. */
  completeBaseUrl?(baseUrl: string): string;
  readonly interfaces?: ProviderInterfaces;
  /** First part of the `provider` field of its package's models. */
  readonly packageName: string;
  /** Loads its package, which happens on first use only. */
  load(setup: ProviderSetup): Promise<MakeModel>;
  /** The levels of thinking that its models accept. The first family that matches decides. */
  readonly thinkingFamilies: readonly ThinkingFamily[];
  /**
   * Translates `thinking`, `cache`, `speed` and hosted tools. A level that the model lacks becomes the nearest one that it has; a setting
   * that the provider or the model does not have is ignored.
   */
  settings(choice: {
    thinking: Thinking | undefined;
    cache: Cache;
    speed: Speed;
    hosted: HostedTools;
    model: string;
  }): ProviderSettings;
  /** The price of the model's fast mode, in list prices. Undefined: it has none. */
  fastMode?(model: string): { priceFactor: number } | undefined;
  /** The files that a model takes. `api`: the interface of the package's model, such as `chat`. */
  files(model: string, api: string): FileSupport;
  readonly keyCheck: KeyCheck;
  /** Its package invents `{}` as arguments and a finish reason if the stream breaks off. */
  readonly hidesBrokenStreams?: true;
}

/** The base of a provider's request paths, without a trailing slash. */
export function baseUrlOf(definition: ProviderDefinition, { baseUrl }: ProviderConfig): string {
  // A provider without a default is not configured until it has a base URL.
  const url = baseUrl ?? definition.defaultBaseUrl ?? "";
  return definition.completeBaseUrl?.(url) ?? url;
}

/** The environment variable that is enough to configure a provider. */
export function switchVariable({ variablePrefix, defaultBaseUrl }: ProviderDefinition): string {
  return `${variablePrefix}_${defaultBaseUrl === undefined ? "BASE_URL" : "API_KEY"}`;
}

/** A sentence for users that names the settings that are missing. A key of the project is enough unless the address is missing. */
export function notConfigured(definition: ProviderDefinition): string {
  const ownKey = definition.defaultBaseUrl === undefined ? "" : ", or an admin a key of the project";
  return `The model provider ${definition.name} is not configured; the operator must set ${switchVariable(definition)}${ownKey}.`;
}

/**
 * A project's own keys by provider. A key is used instead of the platform's, with the platform's base URL. `problem`:
 * the key exists but cannot be read; a sentence for users. While it exists, the platform's key is never used in its
 * place.
 *
 * A key must stay the same object for as long as its value does not change: models and checks are cached by it.
 */
export type ProjectKeys = ReadonlyMap<string, Secret | { problem: string }>;

export const noProjectKeys: ProjectKeys = new Map();

/** How the project reaches the provider; undefined if a key alone configures nothing. */
export function configWith(
  { defaultBaseUrl, interfaces }: ProviderDefinition,
  platform: ProviderConfig | undefined,
  apiKey: Secret,
): ProviderConfig | undefined {
  if (platform !== undefined) return { ...platform, apiKey };
  if (defaultBaseUrl === undefined) return undefined;
  return { apiKey, ...(interfaces && { interface: interfaces.defaultFor(undefined) }) };
}

export function isKey(key: Secret | { problem: string } | undefined): key is Secret {
  return key instanceof Secret;
}

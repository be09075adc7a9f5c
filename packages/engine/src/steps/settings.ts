import {
  canonicalModelId,
  type JsonValue,
  type NextMessageBlock,
  type Speed,
  type ThreadConfig,
  type VariableUse,
} from "@muster/language";
import { configOf, readVariable } from "../turn/scope.ts";
import type { Turn } from "../turn/turn.ts";

/** A thread's configuration with the values that its variables have at the start of a step. */
export interface StepSettings {
  /** The source of these settings, and of those that no variable can set. */
  config: ThreadConfig;
  modelId: string;
  backupModelId?: string;
  maxSteps: number;
  temperature?: number;
  thinking?: string;
  speed?: Speed;
}

export type SettingsResult = { ok: true; settings: StepSettings } | { ok: false; problem: string };

const defaultMaxSteps = 10;
const thinkingLevels = ["off", "low", "medium", "high", "xhigh", "max", "auto"] as const;

/** The rule for a value that comes from a variable, for the reader of the error. */
const rules = {
  model: "the id of a model, such as demo/echo",
  backupModel: "the id of a model, such as demo/echo",
  maxSteps: "a whole number from 1",
  temperature: "a number from 0 to 2, or off",
  thinking: `one of ${thinkingLevels.join(", ")}`,
  speed: "fast or standard",
} as const;

export function settingsOf(turn: Turn, block: NextMessageBlock): SettingsResult {
  const config = configOf(turn, block.thread);
  if (config === undefined) return { ok: false, problem: `The thread ${block.thread} has not been started.` };
  return readSettings(turn, config);
}

/** The same for the model of the step in flight, which may be the backup model. */
export function settingsInFlight(turn: Turn, block: NextMessageBlock): SettingsResult {
  const read = settingsOf(turn, block);
  if (!read.ok || turn.frame.open?.onBackup !== true) return read;
  const { backupModelId = read.settings.modelId } = read.settings;
  return { ok: true, settings: { ...read.settings, modelId: backupModelId } };
}

/** A setting whose variable has no value gets its default; only the model has no default. */
function readSettings(turn: Turn, config: ThreadConfig): SettingsResult {
  const problems: string[] = [];
  function read<T extends JsonValue>(
    name: keyof typeof rules,
    setting: T | VariableUse | undefined,
    isValid: (value: JsonValue) => value is T,
  ): T | undefined {
    const value = isUse(setting) ? readVariable(turn, setting.variable) : setting;
    if (value === undefined || value === null) return undefined;
    if (isValid(value)) return value;
    const source = isUse(setting) ? ` (variable ${setting.variable})` : "";
    problems.push(`The ${name}${source} must be ${rules[name]}.`);
    return undefined;
  }

  // An empty model is refused like every other id that names no model: before anything is stored.
  const model = read("model", modelSetting(config.model), isText);
  const modelId = model === undefined ? undefined : canonicalModelId(model);
  const backupModel = config.backupModel && read("backupModel", modelSetting(config.backupModel), isModelId);
  const backupModelId = backupModel && canonicalModelId(backupModel);
  const maxSteps = read("maxSteps", config.maxSteps, isStepCount) ?? defaultMaxSteps;
  const temperature = read("temperature", config.temperature, isTemperature);
  const thinking = read("thinking", config.thinking, isThinking);
  const speed = read("speed", config.speed, isSpeed);
  if (modelId === undefined && problems.length === 0)
    problems.push("The agent's model variable has no value.");
  if (modelId === undefined || problems.length > 0) return { ok: false, problem: problems.join(" ") };
  return {
    ok: true,
    settings: {
      config,
      modelId,
      maxSteps,
      ...(backupModelId !== undefined && { backupModelId }),
      ...(typeof temperature === "number" && { temperature }),
      ...(thinking !== undefined && { thinking }),
      ...(speed !== undefined && { speed }),
    },
  };
}

function modelSetting(setting: ThreadConfig["model"]): string | VariableUse {
  return "id" in setting ? setting.id : setting;
}

function isUse(setting: unknown): setting is VariableUse {
  return typeof setting === "object" && setting !== null && "variable" in setting;
}

function isText(value: JsonValue): value is string {
  return typeof value === "string";
}

function isModelId(value: JsonValue): value is string {
  return isText(value) && value !== "";
}

function isStepCount(value: JsonValue): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1;
}

function isTemperature(value: JsonValue): value is number | "off" {
  return value === "off" || (typeof value === "number" && value >= 0 && value <= 2);
}

function isThinking(value: JsonValue): value is NonNullable<Exclude<ThreadConfig["thinking"], VariableUse>> {
  return thinkingLevels.some((level) => level === value);
}

function isSpeed(value: JsonValue): value is Speed {
  return value === "fast" || value === "standard";
}

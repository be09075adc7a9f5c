import type { NextMessageBlock } from "@muster/language";
import type { Compaction } from "../boundary/compaction.ts";
import type { ModelCall } from "../boundary/machine.ts";
import { showsContent } from "../shown/display.ts";
import { buildModelCall } from "../steps/model-call.ts";
import { ModelStep } from "../steps/model-step.ts";
import type { PromptMaterial } from "../steps/prompt-material.ts";
import { readSettings, type SettingsResult, type StepSettings } from "../steps/settings.ts";
import { outputMessage, type Readership, seenOn } from "../turn/output.ts";
import { configOf } from "../turn/threads.ts";
import type { Turn } from "../turn/turn.ts";

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

/** Calls the model of a step. `material` and `compactions`: see `buildModelCall`. */
export function callModel(
  turn: Turn,
  block: NextMessageBlock,
  settings: StepSettings,
  material?: PromptMaterial,
  compactions?: readonly Compaction[],
): void {
  const { frame } = turn;
  const message = outputMessage(turn, readership(turn, block));
  if (frame.open) {
    frame.open.modelId = settings.modelId;
    frame.open.firstPart = message.parts.length;
  }
  turn.step = new ModelStep(turn, block, message);
  beginCall(turn, buildModelCall(turn, block, settings, material, compactions));
}

/** The call begins when everything that can continue now has, and after what is worth it is stored. */
export function beginCall({ frame, tree, origin }: Turn, call: ModelCall): void {
  const workerId = origin?.part.worker.workerId;
  frame.phase = "model";
  tree.calls.push({ type: "call-model", ...(workerId !== undefined && { workerId }), call });
}

/**
 * Only blocks with display `stream` write to messages that users read, on every thread alike: each live event of a
 * named thread carries `thread`, and on re-read its parts do, inside the turn's message. Users can find again what
 * they followed live, and it stays distinct from the main chat, whose model never reads it.
 */
export function readership({ frame }: Turn, { thread, display }: NextMessageBlock): Readership {
  const aside = frame.open?.asideThread;
  if (aside !== undefined) return { audience: "model", thread: aside };
  return showsContent(display) ? seenOn(thread) : { audience: "model", thread };
}

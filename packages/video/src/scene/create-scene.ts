import { registerFonts } from "../fonts/fonts.ts";
import type { RunFacts } from "../run-facts.ts";
import { RunScene } from "./run-scene.ts";
import type { Scene, SceneOptions } from "./scene.ts";

/** Creates the scene of a run, at its title card. */
export function createScene(facts: RunFacts, options: SceneOptions): Scene {
  registerFonts();
  return new RunScene(facts, options);
}

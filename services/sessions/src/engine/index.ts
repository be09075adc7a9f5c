export type * from "./conversation.ts";
export type * from "./events.ts";
export type * from "./machine.ts";
export { type PromptOptions, toPrompt } from "./projections/prompt.ts";
export { recover } from "./settle.ts";
export { resumeTurn, startTurn, type TurnResume } from "./start-turn.ts";

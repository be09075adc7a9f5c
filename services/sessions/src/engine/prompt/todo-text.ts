import type { Todo, TodoPart } from "../conversation/conversation.ts";

const marks: Readonly<Record<Todo["status"], string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]",
};

/** What a model reads of a list that no call of its own shows it. */
export function todoText({ todos }: TodoPart): string {
  return ["To do:", ...todos.map(({ id, content, status }) => `${marks[status]} ${id}: ${content}`)].join(
    "\n",
  );
}

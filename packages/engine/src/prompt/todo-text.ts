import type { Todo, TodoPart } from "../conversation/conversation.ts";

const marks: Readonly<Record<Todo["status"], string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]",
};

/** A list as text, for a model that has no call of its own that shows it. */
export function todoText({ todos }: Pick<TodoPart, "todos">): string {
  return ["To do:", ...todos.map(({ id, content, status }) => `${marks[status]} ${id}: ${content}`)].join(
    "\n",
  );
}

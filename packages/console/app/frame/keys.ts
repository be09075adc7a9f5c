import { useEffect, useRef } from "react";

/** Whether the key belongs to what is being typed. */
function isTyping(event: Event): boolean {
  // The target of events in a shadow tree, such as an editor's, is its host.
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Runs an action on a single key, unless something is being typed or a dialog is open. */
export function useKey(key: string, action: () => void): void {
  const latest = useRef(action);
  latest.current = action;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // A key that is kept down decides once.
      if (
        event.key !== key ||
        event.repeat ||
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        isTyping(event)
      )
        return;
      if (document.querySelector('[role="dialog"], [role="alertdialog"]') !== null) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [key]);
}

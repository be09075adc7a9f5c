import { useSyncExternalStore } from "react";

const item = "muster-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function isDark(): boolean {
  const chosen = localStorage.getItem(item);
  return chosen === null ? system.matches : chosen === "dark";
}

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

apply();
system.addEventListener("change", apply);
// Another tab has chosen.
addEventListener("storage", apply);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The theme of the system until the reader chooses. */
export function useTheme() {
  const dark = useSyncExternalStore(subscribe, isDark);
  const toggle = () => {
    localStorage.setItem(item, dark ? "light" : "dark");
    apply();
  };
  return { dark, toggle };
}

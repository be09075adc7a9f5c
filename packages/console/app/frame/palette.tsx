import { Dialog } from "@base-ui/react/dialog";
import type { ProjectThreadList, SessionList } from "@muster/client";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useState } from "react";
import { useApi } from "../api.ts";
import { useAgents } from "../parts/use-agents.ts";
import { useCredential } from "./credential.ts";
import { logOut } from "./login.tsx";
import { mayOpen, places } from "./places.ts";
import { useTheme } from "./theme.ts";

interface Choice {
  id: string;
  label: string;
  kind: string;
  /** An address, or an action. */
  to: string | (() => void);
}

/** ⌘K: pages, agents, the latest threads, and sessions by id or metadata. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((open) => !open);
    };
    const open = () => setOpen(true);
    addEventListener("keydown", press);
    addEventListener("muster-palette", open);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("muster-palette", open);
    };
  }, []);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-ground/70" />
        <Dialog.Popup
          aria-label="Search"
          className="fixed top-[12vh] left-1/2 z-40 flex max-h-[70vh] w-[min(36rem,94vw)] -translate-x-1/2 flex-col overflow-hidden rounded-card border border-line bg-panel shadow-card"
        >
          <Search onClose={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Search({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const listId = useId();
  const navigate = useNavigate();
  const choices = useChoices(useDeferredValue(text.trim()));
  const chosen = choices[Math.min(active, choices.length - 1)];

  const open = ({ to }: Choice) => {
    onClose();
    if (typeof to === "string") void navigate({ to });
    else to();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && chosen !== undefined) open(chosen);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setActive((index) => (Math.min(index, choices.length - 1) + step + choices.length) % choices.length);
  };
  return (
    <>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={chosen && `${listId}-${chosen.id}`}
        aria-label="Pages, agents, threads, sessions by id or metadata"
        placeholder="Pages, agents, threads, ses_…, user=ada"
        autoComplete="off"
        className="border-b border-line bg-panel px-4 py-3 outline-none placeholder:text-muted"
        value={text}
        onKeyDown={press}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
        }}
      />
      <div role="listbox" id={listId} aria-label="Results" className="min-h-0 overflow-auto p-1.5">
        {choices.map((choice) => (
          <div
            key={choice.id}
            id={`${listId}-${choice.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={choice === chosen}
            onClick={() => open(choice)}
            onKeyDown={press}
            className="flex items-center gap-3 rounded-card px-2.5 py-1.5 text-table aria-selected:bg-raised"
          >
            <span className="min-w-0 flex-1 truncate">{choice.label}</span>
            <span className="text-small text-muted">{choice.kind}</span>
          </div>
        ))}
        {choices.length === 0 && <p className="px-2.5 py-3 text-table text-muted">Nothing matches.</p>}
      </div>
    </>
  );
}

function useChoices(text: string): Choice[] {
  const { dark, toggle } = useTheme();
  const actions: Choice[] = [
    { id: "theme", label: dark ? "Light theme" : "Dark theme", kind: "action", to: toggle },
    { id: "logout", label: "Log out", kind: "action", to: logOut },
  ];
  const credential = useCredential();
  const maySeeSessions = credential.permissions.includes("sessions");
  const agents = useAgents();
  const threads = useApi<ProjectThreadList>(
    credential.permissions.includes("workforce") && text !== "" ? "/api/admin/workforce/threads" : null,
    { limit: 100 },
  );
  const [, key, value] = /^([\w.-]+)=(.+)$/.exec(text) ?? [];
  const sessions = useApi<SessionList>(
    maySeeSessions && key !== undefined ? "/api/agent-sessions" : null,
    key === undefined ? {} : { [`metadata.${key}`]: value, limit: 8 },
  );
  const matches = ({ label }: Choice) => label.toLowerCase().includes(text.toLowerCase());
  const pages = places
    .filter((place) => mayOpen(credential, place))
    .map(({ label, to }) => ({ id: to, label, kind: "page", to }));
  const known = agents.map(({ id, name, slug, isHired }) => ({
    ...{ id, label: `${name} (${slug})` },
    ...(isHired ? { kind: "workforce", to: `/workforce/${id}` } : { kind: "agent", to: `/agents/${id}` }),
  }));
  const tasks = (threads.data?.threads ?? []).map(({ threadId, agentId, title }) => ({
    ...{ id: threadId, label: title, kind: "thread", to: `/workforce/${agentId}/threads/${threadId}` },
  }));
  const found = (sessions.data?.sessions ?? []).map(({ sessionId, title }) => ({
    ...{ id: sessionId, label: title ?? sessionId, kind: "session", to: `/sessions/${sessionId}` },
  }));
  const byId = /^ses_\w+$/.test(text)
    ? [{ id: text, label: text, kind: "session", to: `/sessions/${text}` }]
    : [];
  return [...byId, ...found, ...[...pages, ...known, ...actions, ...tasks].filter(matches)].slice(0, 30);
}

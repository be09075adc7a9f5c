import type { ActiveSession, Agent, UiMessage } from "@muster/client";
import { useSession } from "@muster/react";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { muster, refresh, route, useApi } from "../../api.ts";
import { Page } from "../../parts/page.tsx";
import { Panes } from "../../parts/panes.tsx";
import { ConversationPane } from "./conversation-pane.tsx";
import { readSteps } from "./read-steps.ts";
import { SessionActions } from "./session-actions.tsx";
import { SessionFacts } from "./session-facts.tsx";
import { sessionLinks } from "./session-links.ts";
import { firstFailure, flatten } from "./step.ts";
import { StepsPane } from "./steps-pane.tsx";
import { useLinkedScroll } from "./use-linked-scroll.ts";
import { useSessionLog } from "./use-session-log.ts";

const page = getRouteApi("/sessions/$sessionId");
const crumbs = [{ label: "Sessions", to: "/sessions" }];

/** The transcript beside the steps. On a phone, one of them at a time. */
export function LiveSession({ session }: { session: ActiveSession }) {
  const { id, agentId, turn } = session;
  const chat = useSession(muster, id);
  const log = useSessionLog(id);
  const { data: agent } = useApi<Agent>(route`/api/agents/${agentId}`);
  useFollowing(session, chat);

  const entries = log.data?.entries;
  const turns = useMemo(() => readSteps(entries ?? [], turn?.executionId), [entries, turn?.executionId]);
  const links = useMemo(() => sessionLinks(turns), [turns]);
  const { step: chosenId } = page.useSearch();
  const navigate = page.useNavigate();
  const [isClosed, setClosed] = useState(false);
  const steps = useMemo(() => flatten(turns), [turns]);
  const selected =
    steps.find((step) => step.id === chosenId) ?? (isClosed ? undefined : firstFailure(turns.at(-1)));
  const select = (stepId: string | undefined) => {
    setClosed(stepId === undefined);
    const search = stepId === undefined ? {} : { step: stepId };
    void navigate({ to: "/sessions/$sessionId", params: { sessionId: id }, search, replace: true });
  };
  const [pane, setPane] = useState<"conversation" | "steps">("conversation");
  const scroll = useLinkedScroll(selected?.id, steps);

  const title = titleOf(chat.messages) ?? id;
  return (
    <Page
      title={title}
      crumbs={crumbs}
      isWhole
      actions={<SessionActions session={session} onDelete={() => refresh("/api/agent-sessions")} />}
    >
      <SessionFacts session={session} agent={agent} turns={turns} />
      <Panes
        panes={["conversation", "steps"]}
        shown={pane}
        onShow={setPane}
        className="border-b border-line px-4 py-1.5 md:hidden"
      />
      <div className="grid min-h-0 flex-1 md:grid-cols-[minmax(0,9fr)_minmax(0,13fr)]">
        <ConversationPane
          chat={chat}
          agent={agent}
          links={links}
          steps={steps}
          selectedId={selected?.id}
          onSelect={select}
          isShown={pane === "conversation"}
          scroll={scroll.transcript}
        />
        <StepsPane
          session={session}
          log={log}
          turns={turns}
          chat={chat}
          selected={selected}
          onSelect={select}
          isShown={pane === "steps"}
          scroll={scroll.rows}
        />
      </div>
    </Page>
  );
}

type Chat = ReturnType<typeof useSession>;

/** Others may begin, answer and end turns of this session, too. */
function useFollowing({ turn, updatedAt }: ActiveSession, { status, reload }: Chat): void {
  const executionId = turn?.executionId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change on the server is news.
  useEffect(() => {
    if (status === "ready" || (status === "waiting" && executionId === undefined)) void reload();
  }, [executionId, updatedAt]);
  // The log of a turn is complete once it has ended.
  useEffect(() => {
    if (status !== "loading") void refresh("/api/agent-sessions");
  }, [status]);
}

/** The first words of the user, as in the list. */
const maxTitleLength = 80;

function titleOf(messages: readonly UiMessage[]): string | undefined {
  const text = messages.find(({ role }) => role === "user")?.parts.find((part) => part.type === "text");
  if (text?.type !== "text" || text.text.trim() === "") return undefined;
  const line = text.text.trim();
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength)}…` : line;
}

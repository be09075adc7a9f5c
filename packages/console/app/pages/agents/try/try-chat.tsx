import type { InteractiveProgram } from "@muster/language";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { muster } from "../../../api.ts";
import { Empty } from "../../../parts/empty.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { InputForm } from "../../../parts/input-form.tsx";
import { inputOf, type Message, type Texts } from "../../../parts/input-values.ts";
import { useAgent } from "../agent.tsx";
import { Chat } from "./chat.tsx";
import { TriggerForm } from "./trigger-form.tsx";

/** A conversation, whose session the first message opens. It is in the address bar, so that a reload continues it. */
export function TryChat({ program }: { program: InteractiveProgram }) {
  const agent = useAgent();
  const { session } = getRouteApi("/agents/$agentId/").useSearch();
  const navigate = useNavigate({ from: "/agents/$agentId/" });
  const [texts, setTexts] = useState<Texts>({});
  const [first, setFirst] = useState<Message>();
  const open = useMutation({
    mutationFn: async (message: Message) => {
      const input = inputOf(program.input, texts);
      const { id } = await muster.sessions.create({ agentId: agent.id, input });
      setFirst(message);
      await navigate({ search: { session: id }, replace: true });
    },
  });
  const restart = () => {
    setFirst(undefined);
    void navigate({ search: {}, replace: true });
  };
  if (session !== undefined)
    return <Chat key={session} program={program} sessionId={session} first={first} onRestart={restart} />;
  const hasInput = Object.keys(program.input).length > 0;
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-1 flex-col gap-4">
      <div className="flex-1">
        {hasInput ? (
          <section className="grid gap-3 rounded-card border border-line bg-panel p-4">
            <h2 className="text-body font-semibold">Input of the session</h2>
            <InputForm
              specs={program.input}
              texts={texts}
              onChange={setTexts}
              error={open.error}
              path="input"
            />
          </section>
        ) : (
          <Empty title={`Talk to ${agent.settings.name}`}>
            Your first message opens a session. You answer its tool calls by hand.
          </Empty>
        )}
      </div>
      <Failure error={open.error} />
      <TriggerForm
        program={program}
        isBusy={open.isPending}
        // The text stays until the session shows it.
        onSend={async (message) => {
          open.mutate(message);
          return false;
        }}
      />
    </div>
  );
}

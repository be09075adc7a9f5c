import type { FederatedScope } from "@muster/client";
import { useState } from "react";
import { Field, TextField } from "../../../parts/field.tsx";
import { textIn } from "../../../parts/form.tsx";
import { useAgents } from "../../../parts/use-agents.ts";

interface Props {
  error: Error | null;
  scope?: FederatedScope | undefined;
}

/** Which agent and which session the tokens are for: fixed, or named by a claim. */
export function ScopeFields({ error, scope = {} }: Props) {
  const [agentBy, setAgentBy] = useState(scope.agentClaim === undefined ? "agentId" : "agentClaim");
  const [sessionBy, setSessionBy] = useState(
    scope.sessionId !== undefined ? "sessionId" : scope.sessionClaim !== undefined ? "sessionClaim" : "",
  );
  const agents = useAgents().filter(({ isHired }) => !isHired);
  const claim = (label: string, name: keyof FederatedScope) => (
    <TextField
      {...{ label, error, name: `scope.${name}`, path: `scope.${name}` }}
      defaultValue={scope[name]}
      autoComplete="off"
    />
  );
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <Field label="The agent">
        {(controls) => (
          <select {...controls} value={agentBy} onChange={({ target }) => setAgentBy(target.value)}>
            <option value="agentId">is always this</option>
            <option value="agentClaim">is named by a claim</option>
          </select>
        )}
      </Field>
      {agentBy === "agentClaim" ? (
        claim("Claim with its id", "agentClaim")
      ) : (
        <Field label="Agent" error={error} path="scope.agentId">
          {(controls) => (
            // The options arrive later than the form.
            <select key={agents.length} {...controls} name="scope.agentId" defaultValue={scope.agentId}>
              {agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label="The session">
        {(controls) => (
          <select {...controls} value={sessionBy} onChange={({ target }) => setSessionBy(target.value)}>
            <option value="">is any, or new</option>
            <option value="sessionId">is always this</option>
            <option value="sessionClaim">is named by a claim</option>
          </select>
        )}
      </Field>
      {sessionBy === "sessionId" && claim("Id of the session", "sessionId")}
      {sessionBy === "sessionClaim" && claim("Claim with its id", "sessionClaim")}
      {sessionBy === "" && <span />}
      {claim("Claim with the subject", "subjectClaim")}
    </div>
  );
}

export function scopeIn(values: FormData): FederatedScope {
  const names = ["agentId", "agentClaim", "sessionId", "sessionClaim", "subjectClaim"] as const;
  return Object.fromEntries(names.map((name) => [name, textIn(values, `scope.${name}`)]));
}

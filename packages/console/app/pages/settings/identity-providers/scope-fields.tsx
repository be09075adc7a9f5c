import type { FederatedScope } from "@muster/client";
import { useState } from "react";
import { AgentField } from "../../../parts/agent-field.tsx";
import { TextField } from "../../../parts/field.tsx";
import { textIn } from "../../../parts/form.tsx";
import { SelectField } from "../../../parts/select-field.tsx";

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
  const claim = (label: string, name: keyof FederatedScope) => (
    <TextField
      {...{ label, error, name: `scope.${name}`, path: `scope.${name}` }}
      defaultValue={scope[name]}
      autoComplete="off"
    />
  );
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <SelectField
        label="The agent"
        choices={[
          ["agentId", "is always this"],
          ["agentClaim", "is named by a claim"],
        ]}
        value={agentBy}
        onChoose={setAgentBy}
      />
      {agentBy === "agentClaim" ? (
        claim("Claim with its id", "agentClaim")
      ) : (
        <AgentField
          only="defined"
          name="scope.agentId"
          path="scope.agentId"
          error={error}
          chosen={scope.agentId}
        />
      )}
      <SelectField
        label="The session"
        choices={[
          ["", "is any, or new"],
          ["sessionId", "is always this"],
          ["sessionClaim", "is named by a claim"],
        ]}
        value={sessionBy}
        onChoose={setSessionBy}
      />
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

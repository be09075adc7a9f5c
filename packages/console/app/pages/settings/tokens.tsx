import type { MintedToken, RevokedToken } from "@muster/client";
import { useState } from "react";
import { muster } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { AgentField } from "../../parts/agent-field.tsx";
import { Id } from "../../parts/copy.tsx";
import { TextField } from "../../parts/field.tsx";
import { type At, Form, numberIn, textIn } from "../../parts/form.tsx";
import { Card, Facts, Section } from "../../parts/page.tsx";
import { Secret } from "../../parts/secret.tsx";
import { useAgents } from "../../parts/use-agents.ts";
import { When } from "../../parts/when.tsx";

/** Tokens for browsers and other untrusted programs. The server lists none: they expire by themselves. */
export function Tokens() {
  return (
    <div className="max-w-3xl">
      <p className="mb-4 text-muted">
        Short-lived credentials for browsers and programs that you do not trust: each is for the sessions of
        one agent. Your server mints them; here you can mint one to try out.
      </p>
      <Mint />
      <Revoke />
    </div>
  );
}

function Mint() {
  const [minted, setMinted] = useState<MintedToken>();
  const mayApprove = useCredential().permissions.includes("approve");
  const save = (values: FormData) =>
    muster.request<MintedToken>("POST", "/api/tokens", {
      body: {
        agentId: textIn(values, "agentId"),
        agentSlug: textIn(values, "agentSlug"),
        sessionId: textIn(values, "sessionId"),
        subject: textIn(values, "subject"),
        ttlSeconds: numberIn(values, "ttlSeconds") ?? undefined,
        maxUsd: numberIn(values, "maxUsd") ?? undefined,
        ...(values.get("approve") !== null && { approve: true }),
      },
    });
  return (
    <Section title="Mint a token">
      <Card className="grid gap-4">
        {minted !== undefined && (
          <>
            <Secret text={minted.token} name="the token" />
            <Facts
              rows={[
                ["Id", <Id key="id" id={minted.jti} />],
                ["Expires", <When key="expires" at={minted.expiresAt} />],
              ]}
            />
          </>
        )}
        <Form label="Mint the token" save={save} onSaved={setMinted}>
          {(at) => (
            <>
              <AgentOrSlug agentId={at("agentId")} slug={at("agentSlug")} />
              <div className="grid gap-4 sm:grid-cols-2">
                <TextField
                  label="Session"
                  placeholder="any, and new ones"
                  autoComplete="off"
                  {...at("sessionId")}
                />
                <TextField label="Subject" placeholder="no subject" autoComplete="off" {...at("subject")} />
                <TextField
                  label="Lifetime in seconds"
                  inputMode="numeric"
                  placeholder="3600"
                  hint="At most 86,400."
                  {...at("ttlSeconds")}
                />
                <TextField
                  label="Limit of an execution in US dollars"
                  inputMode="decimal"
                  placeholder="no limit"
                  {...at("maxUsd")}
                />
              </div>
              {mayApprove && (
                <label className="flex items-center gap-2 text-table">
                  <input type="checkbox" name="approve" className="size-4 accent-accent" />
                  It may also decide on approvals of its session
                </label>
              )}
            </>
          )}
        </Form>
      </Card>
    </Section>
  );
}

/** A key that may not list agents names one by its slug. */
function AgentOrSlug({ agentId, slug }: { agentId: ReturnType<At>; slug: ReturnType<At> }) {
  const mayList = useAgents().some(({ isHired }) => !isHired);
  if (mayList) return <AgentField only="defined" {...agentId} />;
  return <TextField label="Slug of the agent" autoComplete="off" {...slug} />;
}

function Revoke() {
  const [revoked, setRevoked] = useState<RevokedToken>();
  const save = (values: FormData) => {
    const text = textIn(values, "jti") ?? "";
    // The token itself is accepted as well: a leaked one is often all that is known.
    return muster.tokens.revoke(text.startsWith("svc_") ? { token: text } : { jti: text });
  };
  return (
    <Section title="Revoke a token">
      <Card>
        <Form label="Revoke" look="plain" save={save} onSaved={setRevoked}>
          {(at) => (
            <TextField
              label="Id of the token, or the token itself"
              placeholder="tok_…"
              autoComplete="off"
              hint="It stops working everywhere, and its open streams end."
              {...at("jti")}
            />
          )}
        </Form>
        <p role="status" className="mt-3 text-table empty:hidden">
          {revoked !== undefined &&
            (revoked.revoked
              ? "The token no longer works."
              : "No token of this project has this id, or the token has expired.")}
        </p>
      </Card>
    </Section>
  );
}

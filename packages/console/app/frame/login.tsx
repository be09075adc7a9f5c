import { MusterError } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { credentialKey, entrance, queryClient, readCredential } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";
import { TextField } from "../parts/field.tsx";
import { ProviderLogin, useProvider } from "./provider-login.tsx";

/** Exchanges an API key for a login, which the browser keeps as a cookie that no script can read. */
async function logIn(apiKey: string): Promise<void> {
  await entrance.request("POST", "/api/logins", { headers: { authorization: `Bearer ${apiKey}` } });
  queryClient.setQueryData(credentialKey, await readCredential());
  await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey !== credentialKey });
}

/** Also if the server cannot be reached: then the page returns with its login, and says so. */
export function logOut(): void {
  // Nothing of this login may stay in memory.
  const leave = () => {
    queryClient.clear();
    location.assign("/console");
  };
  entrance.request("DELETE", "/api/logins/current").then(leave, leave);
}

// A browser that goes back may show a page from before a logout.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});

/** `isAgain`: a login has ended, and the page behind it waits. */
export function Login({ isAgain = false }: { isAgain?: boolean }) {
  const [apiKey, setApiKey] = useState("");
  const login = useMutation({ mutationFn: logIn });
  const provider = useProvider();
  const isWrong = login.error instanceof MusterError && login.error.status === 401;
  return (
    <main className="fixed inset-0 z-50 grid place-items-center overflow-auto bg-ground/95 p-4">
      <form
        className="grid w-full max-w-sm gap-4 rounded-card border border-line bg-panel p-6 shadow-card"
        onSubmit={(event) => {
          event.preventDefault();
          login.mutate(apiKey.trim());
        }}
      >
        <div className="flex items-center gap-2.5">
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" className="size-8" />
          <h1 className="text-title font-semibold">{isAgain ? "Log in again" : "Log in to Muster"}</h1>
        </div>
        {isAgain && (
          <p className="text-muted">Your login has ended. The page behind this form keeps its state.</p>
        )}
        {provider && <ProviderLogin name={provider.name} />}
        <TextField
          label="API key"
          type="password"
          autoComplete="current-password"
          // The form is all that the page has.
          autoFocus
          required
          value={apiKey}
          onChange={(event) => setApiKey(event.target.value)}
          hint="`npm start` prints the first one. It is sent once; the login ends 8 hours after its last use."
        />
        {isWrong ? (
          <p role="alert" className="text-table text-bad">
            This key is not valid on this server.
          </p>
        ) : (
          <Failure error={login.error} />
        )}
        <Button
          type="submit"
          look={provider ? "plain" : "primary"}
          disabled={login.isPending || apiKey.trim() === ""}
        >
          {login.isPending ? "Logging in …" : "Log in"}
        </Button>
      </form>
    </main>
  );
}

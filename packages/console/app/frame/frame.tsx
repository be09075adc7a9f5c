import type { Credential } from "@muster/client";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { LogOut, Moon, Search, Sun } from "lucide-react";
import { useEffect, useState } from "react";
import { credentialKey, readCredential } from "../api.ts";
import { Skeleton } from "../parts/empty.tsx";
import { Failure } from "../parts/failure.tsx";
import { usePending } from "../parts/use-pending.ts";
import { Connection } from "./connection.tsx";
import { CredentialContext } from "./credential.ts";
import { Forbidden } from "./forbidden.tsx";
import { Health } from "./health.tsx";
import { Login, logOut } from "./login.tsx";
import { Palette } from "./palette.tsx";
import { mayOpen, type Place, places } from "./places.ts";
import { Projects } from "./projects.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { useTheme } from "./theme.ts";

/** The frame of every page. Addresses survive the login, which is a form in front of them. */
export function Frame() {
  const [known, setKnown] = useState<Credential>();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: credentialKey,
    queryFn: readCredential,
    staleTime: Number.POSITIVE_INFINITY,
    // Another tab may have logged in or out.
    refetchOnWindowFocus: "always",
  });
  useEffect(() => {
    if (!data) return;
    // No page of one key is shown to another.
    if (known !== undefined && !isSame(known, data)) location.assign("/console");
    else setKnown(data);
  }, [data, known]);
  const credential = known;
  if (credential === undefined) {
    if (data === null) return <Login />;
    if (data !== undefined) return null;
    return (
      <main className="mx-auto max-w-xl p-10">
        {isPending ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />}
      </main>
    );
  }
  return (
    <CredentialContext value={credential}>
      <div className="grid h-full grid-cols-[13.5rem_minmax(0,1fr)] max-md:grid-cols-1 max-md:grid-rows-[minmax(0,1fr)_auto]">
        <a
          href="#content"
          className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-40 focus:rounded-card focus:bg-panel focus:p-2"
        >
          Skip to the page
        </a>
        <SideBar credential={credential} />
        <div className="flex min-h-0 min-w-0 flex-col">
          {data && <Connection />}
          <Permitted credential={credential} />
        </div>
        <PhoneBar credential={credential} />
      </div>
      <Palette />
      <Shortcuts />
      {data === null && <Login isAgain />}
    </CredentialContext>
  );
}

/** A page may be opened by a link from a user with more permissions. */
function Permitted({ credential }: { credential: Credential }) {
  const { pathname } = useLocation();
  const place = places.find(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  return place === undefined || mayOpen(credential, place) ? <Outlet /> : <Forbidden place={place} />;
}

function isSame(one: Credential, other: Credential): boolean {
  return one.keyId === other.keyId && one.projectId === other.projectId;
}

const linkShape =
  "flex h-8 items-center gap-2.5 rounded-card px-2.5 text-table text-muted hover:bg-raised hover:text-text aria-[current=page]:bg-raised aria-[current=page]:font-medium aria-[current=page]:text-text";

function SideBar({ credential }: { credential: Credential }) {
  const { dark, toggle } = useTheme();
  const ThemeIcon = dark ? Sun : Moon;
  return (
    <nav
      aria-label="Pages"
      className="flex min-h-0 flex-col gap-0.5 overflow-auto border-r border-line bg-panel p-3 max-md:hidden"
    >
      <div className="mb-2 flex items-center gap-2 px-1">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" className="size-6" />
        <span className="flex-1 font-semibold">Muster</span>
        <Health />
      </div>
      <Projects />
      <OpenPalette />
      {places
        .filter((place) => mayOpen(credential, place))
        .map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
      <div className="mt-auto grid gap-0.5 border-t border-line pt-2">
        <button type="button" className={linkShape} onClick={toggle}>
          <ThemeIcon size={16} aria-hidden="true" />
          {dark ? "Light theme" : "Dark theme"}
        </button>
        <button type="button" className={linkShape} onClick={logOut}>
          <LogOut size={16} aria-hidden="true" />
          Log out
        </button>
      </div>
    </nav>
  );
}

function OpenPalette() {
  return (
    <button
      type="button"
      className="mb-2 flex h-8 items-center gap-2 rounded-card border border-line px-2.5 text-table text-muted hover:text-text"
      onClick={() => dispatchEvent(new CustomEvent("muster-palette"))}
    >
      <Search size={14} aria-hidden="true" />
      <span className="flex-1 text-left">Search</span>
      <kbd className="font-mono text-small">⌘K</kbd>
    </button>
  );
}

function PlaceLink({ place: { label, to, icon: Icon, anyOf } }: { place: Place }) {
  return (
    <Link to={to} activeOptions={{ exact: to === "/" }} className={linkShape}>
      <Icon size={16} aria-hidden="true" />
      <span className="flex-1">{label}</span>
      {anyOf.includes("approve") && <Pending />}
    </Link>
  );
}

/** How many decisions wait. */
function Pending() {
  const pending = usePending().data?.approvals.length ?? 0;
  if (pending === 0) return null;
  return (
    <span className="rounded-full border border-warn px-1.5 text-small text-warn">
      {pending === 100 ? "99+" : pending}
      <span className="sr-only"> wait</span>
    </span>
  );
}

function PhoneBar({ credential }: { credential: Credential }) {
  const shown = places.filter((place) => place.isOnPhone && mayOpen(credential, place));
  const item =
    "grid min-h-14 flex-1 content-center justify-items-center gap-0.5 text-small text-muted aria-[current=page]:text-text";
  return (
    <nav
      aria-label="Main pages"
      className="hidden border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] max-md:flex"
    >
      {shown.map(({ label, to, icon: Icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === "/" }} className={item}>
          <Icon size={18} aria-hidden="true" />
          {label}
        </Link>
      ))}
      <button type="button" className={item} onClick={() => dispatchEvent(new CustomEvent("muster-palette"))}>
        <Search size={18} aria-hidden="true" />
        More
      </button>
    </nav>
  );
}

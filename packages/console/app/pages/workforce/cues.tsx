import { type RefObject, useEffect, useState } from "react";

interface Props {
  title: string;
  video: RefObject<HTMLVideoElement | null>;
  track: RefObject<HTMLTrackElement | null>;
}

interface Entry {
  startTime: number;
  voice: string | undefined;
  text: string;
}

/** The cues of a track as a list that seeks, in which the current one is marked. */
export function Cues({ title, video, track }: Props) {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const element = track.current;
    const player = video.current;
    if (element === null || player === null) return;
    const fill = () => setEntries([...(element.track.cues ?? [])].flatMap(entryOf));
    const move = () => setSeconds(player.currentTime);
    // A track that is disabled is not loaded.
    element.track.mode = "hidden";
    if (element.readyState === HTMLTrackElement.LOADED) fill();
    element.addEventListener("load", fill);
    player.addEventListener("timeupdate", move);
    return () => {
      element.removeEventListener("load", fill);
      player.removeEventListener("timeupdate", move);
    };
  }, [track, video]);
  // A seek can end some microseconds before.
  const current = entries.findLast(({ startTime }) => startTime <= seconds + 0.01);
  const seek = (startTime: number) => {
    if (video.current !== null) video.current.currentTime = startTime;
  };
  return (
    <section aria-label={title} className="flex min-h-0 flex-col">
      <h2 className="mb-1 text-table font-semibold">{title}</h2>
      <ol className="max-h-72 min-h-0 overflow-auto rounded-card border border-line bg-panel py-1 text-table lg:max-h-none lg:flex-1">
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: cues can be equal
          <li key={index}>
            <button
              type="button"
              aria-current={entry === current}
              onClick={() => seek(entry.startTime)}
              className="flex w-full gap-3 px-3 py-1 text-left hover:bg-raised aria-current:bg-raised"
            >
              <span className="shrink-0 font-mono text-small leading-5 text-muted">
                {clock(entry.startTime)}
              </span>
              <span className="min-w-0 break-words">
                {entry.voice !== undefined && <span className="font-medium">{entry.voice}: </span>}
                {entry.text}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function entryOf(cue: TextTrackCue): Entry[] {
  if (!(cue instanceof VTTCue)) return [];
  const voice = /^<v(?:\.[^\s>]*)?\s+([^>]+)>/.exec(cue.text)?.[1]?.trim();
  return [{ startTime: cue.startTime, voice, text: cue.getCueAsHTML().textContent?.trimEnd() ?? "" }];
}

/** `1:05`. */
function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

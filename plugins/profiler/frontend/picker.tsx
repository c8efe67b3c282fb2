import { useSignal } from '@preact/signals';
import { bytesText, Dialog, timeText } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ProfilerParts } from './board';
import { same } from './profiles';
import type { ProfileInfo, ProfileKey } from './answers/profile';
import { profileName, rankText, word } from './words';

const MOST = 500; // in sight, until the search says more

export interface PickerProps {
  readonly board: ProfilerParts;
  readonly name: string;
  readonly title: string;
  /** The newest first. */
  readonly profiles: readonly ProfileInfo[];
  readonly chosen: ProfileKey | null;
  readonly onPick: (profile: ProfileInfo) => void;
  readonly onClose: () => void;
}

/** Profiles by run: one is chosen with the pointer, or with arrow keys and Enter. */
export function Picker({ board, name, title, profiles, chosen, onPick, onClose }: PickerProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const query = useSignal('');
  const place = useRef<HTMLDivElement>(null);
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const told = (profile: ProfileInfo): string =>
    [
      profile.run,
      board.page.nameOf(profile.run),
      profile.name,
      profile.profile,
      word(board, 'source', profile.source),
      rankText(board, profile.rank),
    ]
      .join('\n')
      .toLowerCase();
  const matches = (profile: ProfileInfo): boolean => words.every((one) => told(profile).includes(one));
  const found = profiles.filter(matches);
  const selected = new Set(board.page.runs.value.map((run) => run.name));
  const elsewhere = (board.profiles.listing.value ?? []).filter(
    (profile) => !selected.has(profile.run) && matches(profile),
  ).length;
  const runs = [...new Set(found.slice(0, MOST).map(({ run }) => run))];
  const ordered = runs.flatMap((run) => found.slice(0, MOST).filter((profile) => profile.run === run));
  const active = useSignal(
    Math.max(
      0,
      ordered.findIndex((profile) => same(profile, chosen)),
    ),
  );
  const at = Math.min(active.value, ordered.length - 1);
  useEffect(() => place.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at]);
  const pick = (profile: ProfileInfo | undefined): void => {
    if (!profile) return;
    onPick(profile);
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined) active.value = Math.max(0, Math.min(ordered.length - 1, to));
    else if (event.key === 'Enter') pick(ordered[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog name={`pick-${name}`} title={title} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="profiler-profiles"
        aria-activedescendant={ordered.length > 0 ? `profiler-profile-${at}` : undefined}
        data-control="profile-search"
        placeholder={say('picker.search')}
        aria-label={say('picker.search')}
        autofocus
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={place} class="profiles" id="profiler-profiles" role="listbox" aria-label={title}>
        {ordered.map((profile, i) => (
          <div key={`${profile.run}\n${profile.profile}`}>
            {profile.run !== ordered[i - 1]?.run && (
              <h4 role="presentation">
                <span
                  class="dot"
                  style={{ background: board.page.runsByName.value.get(profile.run)?.color ?? 'transparent' }}
                />
                {board.page.nameOf(profile.run)}
              </h4>
            )}
            <div
              id={`profiler-profile-${i}`}
              class={same(profile, chosen) ? 'choice chosen' : 'choice'}
              role="option"
              aria-selected={i === at}
              data-profile={profile.profile}
              data-run={profile.run}
              title={`${profile.run}\n${profile.profile}`}
              onPointerMove={() => (active.value = i)}
              onClick={() => pick(profile)}
            >
              <span class="name">{profileName(profile)}</span>
              <span class="source">{word(board, 'source', profile.source)}</span>
              <span class="rank">{rankText(board, profile.rank)}</span>
              <span class="date">{timeText(profile.wall_time, locale)}</span>
              <span class="number">{bytesText(profile.bytes, locale)}</span>
            </div>
          </div>
        ))}
        {ordered.length === 0 && <p class="hint">{say(profiles.length === 0 ? 'picker.none' : 'picker.no_match')}</p>}
        {elsewhere > 0 && (
          <p class="hint" data-testid="elsewhere">
            {say('picker.elsewhere', { count: elsewhere })}
          </p>
        )}
        {found.length > MOST && <p class="hint">{say('picker.more', { count: found.length - MOST })}</p>}
      </div>
    </Dialog>
  );
}

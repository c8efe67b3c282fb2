import { useSignal } from '@preact/signals';
import { message, Select } from '@insight-host/kit';
import type { HostError, ReadonlySignal, SavedEntry } from '@insight-host/api';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { LineageParts } from './board';
import { VIEWS, type ViewName } from './choices';

/** Columns and axes of one view, as they are saved under a name. */
export interface Layout {
  readonly view: ViewName;
  readonly columns: readonly string[];
  readonly axes: readonly string[];
}

function useLive<T>(source: ReadonlySignal<T>): T {
  const now = useSignal(source.value);
  useEffect(() => source.subscribe((value) => (now.value = value)), [source]);
  return now.value;
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

/** Any page may have saved it, also one of another version. */
const isLayout = (value: Partial<Layout> | null): value is Layout =>
  value !== null && VIEWS.includes(value.view as ViewName) && isNames(value.columns) && isNames(value.axes);

/** Opens, saves and removes named layouts, which everybody has who opens these logs. */
export function Layouts({ board }: { readonly board: LineageParts }): JSX.Element | null {
  const { saved } = board.page.ctx;
  const { t: say } = board.page;
  const entries = useLive(saved.entries) ?? [];
  const writable = useLive(saved.writable);
  const name = useSignal('');
  /** The layout that was opened or saved last: what replaces it must not be newer. */
  const known = useSignal<SavedEntry | null>(null);
  const wanted = name.value.trim();
  const found = entries.find((entry) => entry.name === wanted);
  if (!writable && entries.length === 0) return null;

  const attempt = (work: Promise<unknown>): void =>
    void work.catch((cause: HostError) => {
      known.value = null; // who tries again has read that another page was faster
      board.page.ctx.notify('error', message(cause));
    });
  const open = async (picked: string): Promise<void> => {
    const entry = await saved.get<Partial<Layout> | null>(picked);
    if (!entry) return;
    if (!isLayout(entry.value)) throw new Error(say('layouts.unreadable', { name: picked }));
    known.value = entry;
    name.value = picked;
    board.columns.lay(entry.value);
  };
  const save = async (): Promise<void> => {
    const base = known.value?.name === wanted ? known.value : found;
    known.value = await saved.set(wanted, board.columns.layout, base?.version ?? null);
  };
  const remove = async ({ version }: SavedEntry): Promise<void> => {
    await saved.remove(wanted, version);
    known.value = null;
    name.value = '';
  };
  return (
    <div class="row layouts" role="group" aria-label={say('layouts')}>
      <Select
        name="layout"
        label={say('layouts')}
        disabled={entries.length === 0}
        value={found?.name ?? ''}
        options={[
          { value: '', text: say(entries.length === 0 ? 'layouts.none' : 'layouts.open') },
          ...entries.map(({ name }) => ({ value: name, text: name })),
        ]}
        onPick={(name) => name && attempt(open(name))}
      />
      {writable && (
        <>
          <input
            type="text"
            data-control="layout-name"
            maxLength={200}
            placeholder={say('layouts.name')}
            aria-label={say('layouts.name')}
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Enter' && wanted && attempt(save())}
          />
          <button type="button" data-action="layout-save" disabled={!wanted} onClick={() => attempt(save())}>
            {say(found ? 'layouts.replace' : 'layouts.save')}
          </button>
          <button
            type="button"
            data-action="layout-remove"
            disabled={!found}
            onClick={() => found && attempt(remove(found))}
          >
            {say('layouts.remove')}
          </button>
        </>
      )}
    </div>
  );
}

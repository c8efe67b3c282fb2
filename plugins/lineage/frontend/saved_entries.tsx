import type { HostError, ReadonlySignal, SavedEntry } from '@insight-host/api';
import { Dialog, message, Select } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { LineageParts } from './board';
import { brushesCodec } from './brushes';

function useLive<T>(source: ReadonlySignal<T>): T {
  const now = useSignal(source.value);
  useEffect(() => source.subscribe((value) => (now.value = value)), [source]);
  return now.value;
}

interface SavedEntriesProps {
  readonly board: LineageParts;
  /** Of its texts and, in the singular, of its controls. */
  readonly kind: 'layout' | 'filter';
  /** What is saved. */
  readonly now: () => unknown;
  /** Shows what was saved, maybe by a page of another version; false if it cannot be read. */
  readonly show: (value: unknown) => boolean;
}

const PREFIXES = { layout: '', filter: 'filter: ' }; // of the names on the host, which all kinds share

/** Opens, saves and removes something by name, which everybody has who opens these logs. */
export function SavedEntries({ board, kind, now, show }: SavedEntriesProps): JSX.Element | null {
  const { saved } = board.page.ctx;
  const say = (text?: string, values?: Readonly<Record<string, string>>): string =>
    board.page.t(text ? `${kind}s.${text}` : `${kind}s`, values);
  const prefix = PREFIXES[kind];
  const isOther = (name: string): boolean =>
    Object.values(PREFIXES).some((other) => other.length > prefix.length && name.startsWith(other));
  const entries = (useLive(saved.entries) ?? []).filter(({ name }) => name.startsWith(prefix) && !isOther(name));
  const writable = useLive(saved.writable);
  const name = useSignal('');
  /** The entry that was opened or saved last: what replaces it must not be newer. */
  const known = useSignal<SavedEntry | null>(null);
  const wanted = name.value.trim();
  const found = entries.find((entry) => entry.name === prefix + wanted);
  if (!writable && entries.length === 0) return null;

  const attempt = (work: Promise<unknown>): void =>
    void work.catch((cause: HostError) => {
      known.value = null; // who tries again has read that another page was faster
      board.page.ctx.notify('error', message(cause));
    });
  const open = async (picked: string): Promise<void> => {
    const entry = await saved.get<unknown>(picked);
    if (!entry) return;
    const short = picked.slice(prefix.length);
    if (!show(entry.value)) throw new Error(say('unreadable', { name: short }));
    known.value = entry;
    name.value = short;
  };
  const save = async (): Promise<void> => {
    const base = known.value?.name === prefix + wanted ? known.value : found;
    known.value = await saved.set(prefix + wanted, now(), base?.version ?? null);
  };
  const remove = async (entry: SavedEntry): Promise<void> => {
    await saved.remove(entry.name, entry.version);
    known.value = null;
    name.value = '';
  };
  return (
    <div class="row saved" role="group" aria-label={say()}>
      <Select
        name={kind}
        label={say()}
        disabled={entries.length === 0}
        value={found?.name ?? ''}
        options={[
          { value: '', text: say(entries.length === 0 ? 'none' : 'open') },
          ...entries.map((entry) => ({ value: entry.name, text: entry.name.slice(prefix.length) })),
        ]}
        onPick={(picked) => picked && attempt(open(picked))}
      />
      {writable && (
        <>
          <input
            type="text"
            data-control={`${kind}-name`}
            maxLength={200 - prefix.length}
            placeholder={say('name')}
            aria-label={say('name')}
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
            onKeyDown={(event) => event.key === 'Enter' && wanted && attempt(save())}
          />
          <button type="button" data-action={`${kind}-save`} disabled={!wanted} onClick={() => attempt(save())}>
            {say(found ? 'replace' : 'save')}
          </button>
          <button
            type="button"
            data-action={`${kind}-remove`}
            disabled={!found}
            onClick={() => found && attempt(remove(found))}
          >
            {say('remove')}
          </button>
        </>
      )}
    </div>
  );
}

/** What leaves rows out, as it is saved under a name. */
interface Filter {
  readonly where: string;
  /** As in the address of the page. */
  readonly brushes: string | null;
  readonly hidden: readonly string[];
}

const isFilter = (value: Partial<Filter> | null): value is Filter =>
  value !== null &&
  typeof value.where === 'string' &&
  (value.brushes === null || typeof value.brushes === 'string') &&
  Array.isArray(value.hidden) &&
  value.hidden.every((run) => typeof run === 'string');

/** Saves which runs are shown: the filter of the run list, the brushes and the hidden rows. */
export function Filters({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const now = (): Filter => ({
    where: board.panel.filter.value,
    brushes: brushesCodec.format(board.brushing.all.value),
    hidden: board.rows.hidden.value,
  });
  const show = (value: unknown): boolean => {
    const filter = value as Partial<Filter> | null;
    if (!isFilter(filter)) return false;
    board.panel.filter.set(filter.where);
    board.brushing.all.set(brushesCodec.parse(filter.brushes));
    board.rows.hidden.set(filter.hidden);
    return true;
  };
  const { where, hidden } = now();
  const parts = [
    where.trim() && say('filters.where', { text: where.trim() }),
    board.brushing.all.value.size > 0 && say('brushes.count', { count: board.brushing.all.value.size }),
    hidden.length > 0 && say('rows.hidden', { count: hidden.length }),
  ].filter(Boolean);
  return (
    <Dialog name="filters" title={say('filters')} onClose={() => (board.dialog.value = null)}>
      <p class="hint" data-testid="filter-now">
        {parts.length > 0 ? say('filters.now', { parts: parts.join(say('list.separator')) }) : say('filters.empty')}
      </p>
      <SavedEntries board={board} kind="filter" now={now} show={show} />
    </Dialog>
  );
}

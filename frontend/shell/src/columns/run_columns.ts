/** Columns of the run table that the user shows in the run list; loaded when there are some. */
import { byName, codecs, durationText, message, Spaced, timeText, valueText } from '@insight-host/kit';
import { computed, effect, signal, untracked } from '@preact/signals';
import type { Cell, Locale, Mutable, Run, RunColumn } from '@insight-host/api';
import type { GuardedLook } from '../contributed/all';
import { getJson } from '../data/http';
import type { Page } from '../state/page';

const AGAIN = 3000; // ms between two questions while data change

/** A column as the host describes it; with `values` one for each of the runs of the answer. */
interface Described extends Omit<RunColumn, 'values'> {
  readonly titles: Readonly<Partial<Record<Locale, string>>>;
  readonly values?: readonly (Cell | null)[];
}

interface HostAnswer {
  readonly runs?: readonly string[];
  readonly columns: readonly Described[];
  readonly column_errors: readonly { readonly plugin: string; readonly error: string }[];
}

interface Known extends RunColumn {
  readonly titles: Described['titles'];
}

export interface ColumnAnswer {
  readonly columns: readonly Known[];
  readonly errors: HostAnswer['column_errors'];
}

async function asked(keys: readonly string[], signal?: AbortSignal): Promise<ColumnAnswer> {
  const { runs = [], columns, column_errors } = await getJson<HostAnswer>('data/run_columns', { column: keys }, signal);
  const known = columns.map(({ values = [], ...column }) => ({
    ...column,
    values: Object.fromEntries(
      runs
        .map((run, at) => [run, values[at] ?? null] as const)
        .filter((cell): cell is [string, Cell] => cell[1] !== null),
    ),
  }));
  return { columns: known, errors: column_errors };
}

export interface ShownColumn extends RunColumn {
  readonly key: string;
  readonly look: GuardedLook | null;
}

export type Direction = 'up' | 'down';

export const keyOf = ({ plugin, name }: RunColumn): string => `${plugin}/${name}`;

/** The value of a run, which may be called "constructor". */
export const cellOf = ({ values }: RunColumn, run: string): Cell | undefined =>
  Object.hasOwn(values, run) ? values[run] : undefined;

export class RunColumns {
  /** Keys of the chosen columns, kept in the URL. */
  readonly chosen: Mutable<readonly string[]>;
  private readonly answer = signal<readonly Known[]>([]);
  /** The chosen ones that the host has, in the order in which they were chosen. */
  readonly shown = computed<readonly ShownColumn[]>(() => {
    const columns = this.inLanguage(this.answer.value);
    return this.chosen.value.flatMap((key) => {
      const column = columns.find((one) => keyOf(one) === key);
      if (!column) return [];
      const look = this.page.contributions.value?.lookOf(column) ?? null;
      return { ...column, key, look, title: look?.title ?? column.title };
    });
  });
  private readonly refresh = new Spaced(AGAIN, () => void this.load());
  private loads = 0;

  constructor(private readonly page: Page) {
    this.chosen = page.url.state('columns', codecs.names);
    effect(() => {
      if (this.chosen.value.length > 0) void this.load();
    });
    effect(() => {
      void page.session.generation.value;
      if (untracked(() => this.chosen.value).length > 0) this.refresh.ask();
    });
    effect(() => {
      page.runs.order.value = orderOf(page.runs.sort.value, this.shown.value);
    });
  }

  /** All columns that there are, and what failed. */
  async all(signal: AbortSignal): Promise<ColumnAnswer> {
    const answer = await asked([], signal);
    return { ...answer, columns: this.inLanguage(answer.columns) };
  }

  choose(key: string, isShown: boolean): void {
    const others = this.chosen.value.filter((other) => other !== key);
    this.chosen.set(isShown ? [...others, key] : others);
  }

  /** How the list is sorted by a column; null: by something else. */
  direction({ key }: ShownColumn): Direction | null {
    const { value: sort } = this.page.runs.sort;
    return sort === `+${key}` ? 'up' : sort === `-${key}` ? 'down' : null;
  }

  /** Sorts by a column, the largest first; again: the smallest first; once more: as before. */
  turn(column: ShownColumn): void {
    const now = this.direction(column);
    this.page.runs.sort.set(now === 'up' ? 'time' : `${now === 'down' ? '+' : '-'}${column.key}`);
  }

  /** A value as text, where no plugin shows it in another way. */
  text({ kind }: RunColumn, value: Cell): string {
    const { value: locale } = this.page.preferences.locale;
    if (typeof value === 'number' && kind === 'time') return timeText(value, locale);
    if (typeof value === 'number' && kind === 'duration') return durationText(value, locale);
    return typeof value === 'number' ? valueText(value) : String(value);
  }

  private inLanguage(columns: readonly Known[]): readonly Known[] {
    const { value: locale } = this.page.preferences.locale;
    return columns.map((column) => ({ ...column, title: column.titles[locale] || column.title || column.name }));
  }

  private async load(): Promise<void> {
    const mine = ++this.loads;
    try {
      const { columns } = await asked(untracked(() => this.chosen.value));
      if (mine === this.loads) this.answer.value = columns;
    } catch (cause) {
      if (mine === this.loads)
        this.page.toasts.show('error', this.page.t.value('columns.failed', { reason: message(cause) }));
    }
  }
}

/** Sorts runs as `sort` says, `+key` or `-key`; null if it names no column that is shown. */
function orderOf(sort: string, columns: readonly ShownColumn[]): ((runs: readonly Run[]) => readonly Run[]) | null {
  const column = columns.find(({ key }) => sort === `+${key}` || sort === `-${key}`);
  if (!column) return null;
  const sign = sort.startsWith('-') ? -1 : 1;
  return (runs) => {
    const places = runs.map((run) => {
      const value = cellOf(column, run.name);
      const place = value === undefined ? undefined : (column.look?.order(value, run.name) ?? value);
      return { run, place: column.kind === 'number' && typeof place === 'string' ? numberOf(place) : place };
    });
    return places.sort((a, b) => compared(a.place, b.place, sign)).map(({ run }) => run);
  };
}

/** Numbers that are not finite come as texts. */
function numberOf(text: string): number | string {
  return text === 'NaN' || !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** Runs without a value, or with NaN, come last either way. */
function compared(a: Cell | undefined, b: Cell | undefined, sign: number): number {
  const [noA, noB] = [a === undefined || Number.isNaN(a), b === undefined || Number.isNaN(b)];
  if (noA || noB) return Number(noA) - Number(noB);
  if (typeof a === 'string' || typeof b === 'string') return sign * byName(String(a), String(b));
  return sign * (Number(a) - Number(b));
}

/** Columns of the run table: which are shown, their values, and the order that they give the runs. */
import { codecs, message, valueText } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { computed, effect, signal, untracked } from '@preact/signals';
import type { Cell, Mutable, RunColumn } from '@insight-host/api';
import { sortOf, turned } from '@insight-host/kit/table';
import type { ColumnValues } from '../state/late';
import type { Page } from '../state/page';
import { Frame, runTexts, secondsLook, type Section, sectionOf, startsDown, statusLook } from '@insight-host/kit/runs';
import {
  askedColumns,
  type ColumnAnswer,
  type GuardedLook,
  keyOf,
  type Known,
  type ShownColumn,
  withValues,
} from './cells';
import { frameColumn, orderOf } from './frame_column';
import { lateTexts } from '../i18n/texts';
import { columns as en } from '../locales/en.json';
import { columns as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en: { ...runTexts.en, ...en }, 'zh-CN': { ...runTexts['zh-CN'], ...zh } });

const AGAIN = 3000; // ms between two questions while data change
const GOING_ON = 60_000; // ms until the status of a run that goes on is asked for again: silence alone ends it
const FIRST_SHOWN = 16; // columns of plugins, as long as the user has chosen none
const FIRST_SECTIONS: readonly Section[] = ['metric', 'hyperparameter', 'run', 'system'];
/** Stands in the URL for having no column. */
const NONE = 'none';

export class RunColumns implements ColumnValues {
  /** Keys of the columns that the user has chosen, kept in the URL; empty: those that are shown at first. */
  readonly chosen: Mutable<readonly string[]>;
  /** `path`, or keys of columns, by which the table groups the runs. */
  readonly group: Mutable<readonly string[]>;
  /** The groups whose runs are not shown. */
  readonly folded: Mutable<readonly string[]>;
  /** All columns of the host, without values; null until they are known. */
  readonly listing = signal<readonly Known[] | null>(null);
  private readonly answer = signal<readonly Known[]>([]);
  /** Keys of the columns of the table, in their order. */
  readonly keys = computed(() => {
    const { value: chosen } = this.chosen;
    return chosen.length > 0 ? chosen.filter((key) => key !== NONE) : this.firstShown();
  });
  private readonly needed = computed(() => {
    const sorts = this.page.runs.sort.value.filter((key) => /^[+-]/.test(key)).map((key) => key.slice(1));
    const others = [
      ...this.group.value,
      ...this.page.colorBy.value,
      ...this.page.columnsOfOthers.value,
      ...codecs.names.parse(this.page.url.text('dash').value),
    ];
    const used = others.filter((key) => key.includes('/') && !key.startsWith('name~'));
    return [...new Set([...(this.page.tableOpen.value ? this.keys.value : []), ...sorts, ...used])].sort();
  });
  private readonly known = computed<ReadonlyMap<string, ShownColumn>>(() => {
    const columns = this.inLanguage(this.answer.value).map((column): readonly [string, ShownColumn] => {
      const look = this.page.contributions.value?.lookOf(withValues(column)) ?? this.ownLook(column);
      const shown = { key: keyOf(column), look, title: look?.title ?? column.title };
      return [
        shown.key,
        Object.defineProperties(withValues(column), Object.getOwnPropertyDescriptors(shown)) as ShownColumn,
      ];
    });
    return new Map(columns);
  });
  /** The columns that are known, by row: a row for each run of the page. */
  readonly frame = computed(
    () =>
      new Frame(
        this.page.runs.names.value,
        [...this.known.value.values()].map((column) => frameColumn(this, column, this.page.runs.names.value)),
      ),
  );
  /** All columns of the host, with their titles. */
  readonly titled = computed(() =>
    this.inLanguage(this.listing.value ?? []).map((column) => ({ key: keyOf(column), title: column.title })),
  );
  /** The columns of the table that the host has. */
  readonly shown = computed(() => this.keys.value.flatMap((key) => this.known.value.get(key) ?? []));
  private readonly refresh = new Spaced(AGAIN, () => {
    if (this.showsFirst()) this.list(); // the logs may have more by now
    void this.load();
  });
  private later: ReturnType<typeof setTimeout> | undefined;
  private readonly reported = new Set<string>(); // why columns are missing
  private loads = 0;
  private isListing = false;

  constructor(private readonly page: Page) {
    this.chosen = page.url.state('columns', codecs.names);
    this.group = page.runs.groupBy;
    this.folded = page.url.state('folded', codecs.names);
    effect(() => {
      if (this.showsFirst()) untracked(() => this.need());
    });
    let before = '';
    effect(() => {
      const keys = this.needed.value.join('\n');
      if (keys !== before && keys) void untracked(() => this.load());
      before = keys;
    });
    let isFirst = true;
    effect(() => {
      void [page.session.generation.value, page.session.annotations.byRun.value]; // notes are columns, too
      if (isFirst) isFirst = false;
      else if (untracked(() => this.needed.value.length > 0 || this.showsFirst())) this.refresh.ask();
    });
    effect(() => {
      const { runs } = page;
      const selected = runs.sort.value.includes('selected') ? runs.selectedSet.value : null;
      runs.order.value = orderOf(runs.sort.value, this.frame.value, selected);
    });
  }

  /** All columns that there are, without values, and what failed. */
  async all(signal: AbortSignal): Promise<ColumnAnswer> {
    const answer = await askedColumns([], signal);
    this.listing.value = answer.columns;
    return { ...answer, columns: this.inLanguage(answer.columns) };
  }

  columnOf(key: string): ShownColumn | undefined {
    return this.known.value.get(key);
  }

  choose(key: string, isShown: boolean): void {
    this.chooseAll([key], isShown);
  }

  chooseAll(keys: readonly string[], isShown: boolean): void {
    const others = this.keys.peek().filter((other) => !keys.includes(other));
    this.set(isShown ? [...others, ...keys] : others);
  }

  /** Puts a column before another, or last; chosen ones that the host does not have now stay. */
  move(key: string, before: string | null): void {
    const others = this.keys.peek().filter((other) => other !== key);
    const last = this.shown.peek().findLast((column) => column.key !== key);
    const at = before !== null ? others.indexOf(before) : last ? others.indexOf(last.key) + 1 : others.length;
    this.set(others.toSpliced(at, 0, key));
  }

  private set(keys: readonly string[]): void {
    this.chosen.set(keys.length > 0 ? keys : [NONE]);
  }

  /** Sorts by a column: the best first, the other way round, and no more. `more` keeps the other keys. */
  turn(key: string, more = false): void {
    const { sort } = this.page.runs;
    const before = sort.value.flatMap((one) => (/^[+-]/.test(one) ? sortOf(one.replace(/^\+/, '')) : []));
    const column = this.frame.value.columns.get(key);
    const after = turned(before, key, more, !column || startsDown(column), true);
    const texts = after.map((one) => (one.down ? '-' : '+') + one.key);
    const all = [...sort.value.filter((one) => one === 'selected'), ...texts];
    sort.set(all.length > 0 ? all : ['time']);
  }

  /** A value as text, where no plugin shows it in another way. */
  text({ kind }: Pick<RunColumn, 'kind'>, value: Cell): string {
    if (kind === 'time' || kind === 'duration')
      return secondsLook(kind, this.page.preferences.locale.value).text(value, -1);
    return typeof value === 'number' ? valueText(value) : String(value);
  }

  /** The value of a run as text, as a plugin shows it unless it shows an element. */
  textOf(column: ShownColumn, run: string, value: Cell): string {
    const shown = column.look?.cell(value, run);
    return typeof shown === 'string' ? shown : this.text(column, value);
  }

  /** How the host's own status is shown: in words of the page, runs that go on first. */
  private ownLook(column: Known): GuardedLook | null {
    if (keyOf(column) !== 'run/status') return null;
    const { text, order } = statusLook((key) => words(this.page, key));
    return { title: undefined, cell: (value) => text(value, -1), order: (value) => order(value, -1) as number };
  }

  /** The first columns of plugins, metrics before hyperparameters, then status, duration and notes. */
  private firstShown(): readonly string[] {
    const { value: listing } = this.listing;
    if (!listing) return [];
    const ofPlugins = listing.filter(
      ({ plugin, name, at_first: atFirst }) => plugin !== 'run' && name !== 'status' && atFirst !== false,
    );
    const sectionAt = (column: Known): number => FIRST_SECTIONS.indexOf(sectionOf({ ...column, name: keyOf(column) }));
    const first = ofPlugins
      .sort((one, other) => (one.order ?? 0) - (other.order ?? 0))
      .slice(0, FIRST_SHOWN)
      .sort((one, other) => sectionAt(one) - sectionAt(other));
    return [...first.map(keyOf), 'run/status', 'run/duration', 'run/note'];
  }

  private inLanguage(columns: readonly Known[]): readonly Known[] {
    const { value: locale } = this.page.preferences.locale;
    return columns.map((column) => ({ ...column, title: column.titles[locale] || column.title || column.name }));
  }

  /** Asks for the list of columns, if it is not known. */
  need(): void {
    if (!this.listing.value) this.list();
  }

  /** Whether the table has the columns that are shown at first. */
  private showsFirst(): boolean {
    return this.page.tableOpen.value && this.chosen.value.length === 0;
  }

  private list(): void {
    if (this.isListing) return;
    this.isListing = true;
    this.all(new AbortController().signal)
      .catch((cause: unknown) => this.failed(cause))
      .finally(() => (this.isListing = false));
  }

  private async load(): Promise<void> {
    const keys = untracked(() => this.needed.value);
    if (keys.length === 0) return;
    const mine = ++this.loads;
    try {
      const { columns, errors } = await askedColumns(keys);
      if (mine !== this.loads) return;
      this.answer.value = columns;
      for (const { plugin, error } of errors) {
        if (keys.some((key) => key.startsWith(`${plugin}/`))) this.report(`${plugin}: ${error}`);
      }
      clearTimeout(this.later);
      const status = columns.find((column) => keyOf(column) === 'run/status');
      const goesOn = status?.cells.includes('running');
      if (goesOn) this.later = setTimeout(() => this.refresh.ask(), GOING_ON);
    } catch (cause) {
      if (mine === this.loads) this.failed(cause);
    }
  }

  /** Says why columns are missing: once, however often they are asked for. */
  private report(reason: string): void {
    if (this.reported.has(reason)) return;
    this.reported.add(reason);
    this.failed(new Error(reason));
  }

  private failed(cause: unknown): void {
    this.page.toasts.show('error', words(this.page, 'columns.failed', { reason: message(cause) }));
  }
}

/** Server state in the page: the run table, the plugin list, and changes. */
import { computed, signal } from '@preact/signals';
import type { Changes, Locale, Messages, Reason } from '@insight-host/api';
import { message } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { forgetStart, getJson, noteKnown, RequestError } from '../data/http';
import { reasonsIn } from '../i18n/texts';
import { browserWorld, LiveConnection, type ServerChanges } from '../live/connection';
import { Annotations } from './annotations';
import type { RunRow } from './runs';

export interface Listed {
  readonly enabled: boolean;
  /** False: it only adds to the page and to the tabs of others. */
  readonly tab?: boolean;
  /** Tabs with the same word are one in the line of tabs. */
  readonly tab_group?: string;
  readonly tab_name: string;
  readonly titles?: Readonly<Partial<Record<Locale, string>>>;
  readonly error?: string;
  /** Requests to a view that is there which failed and have not worked since, a line each. */
  readonly warnings?: readonly string[];
  /** Of whose long series, by TensorBoard's plugin, it was given a part of the points. */
  readonly sampled?: Readonly<Record<string, { readonly shown: number; readonly points: number }>>;
  /** Keys of the tab's state that show one step, `{step}` in the place of the step. */
  readonly step_state?: Readonly<Record<string, string>>;
  /** Keys of the tab's state that show certain tags, `{pattern}` in the place of a regular expression for them. */
  readonly tag_state?: Readonly<Record<string, string>>;
  /** Keys of the tab's state that show runs next to each other, `{runs}` in the place of their names. */
  readonly run_state?: Readonly<Record<string, string>>;
  readonly disable_reload?: boolean;
  readonly remove_dom?: boolean;
  readonly loading_mechanism: {
    readonly type: string;
    readonly module_path?: string;
    /** The module of what the plugin adds beyond its tab. */
    readonly contributions_path?: string;
    readonly api_version?: number;
  };
}
export interface Tab extends Listed {
  readonly name: string;
}

/** TensorBoard's own page: there whether or not there are data, with a list of runs of its own. */
export function isWholePage(tab: Tab): boolean {
  return tab.loading_mechanism.type === 'PAGE';
}

/** Made for TensorBoard: a document of its own. */
export function isFramed(tab: Tab): boolean {
  return isWholePage(tab) || tab.loading_mechanism.type === 'IFRAME';
}

interface Environment {
  readonly version: string;
  readonly data_location: string;
  readonly window_title: string;
}

const LISTING_APART = 5000; // ms: whether a plugin made for TensorBoard has something to show by now
const LISTING_LONGEST = 60_000; // ms; twice as long each time that it has not
const REFRESH_EVERY = 400; // ms: a loading server announces many generations a second

export class Session {
  readonly table = signal<RunTable | null>(null);
  readonly plugins = signal<readonly Tab[] | null>(null);
  readonly environment = signal<Environment | null>(null);
  /** The first answers have not arrived, and why. */
  readonly startError = signal<string | null>(null);
  /** Why the host cannot reach its data just now; what the page has stays. */
  readonly away = signal<string | null>(null);
  readonly latest = signal<ServerChanges>({ generation: 0, runs: true, series: null });
  readonly generation = computed(() => this.latest.value.generation);
  readonly annotations = new Annotations();
  readonly live = new LiveConnection(browserWorld, (changes) => this.accept(changes));
  readonly loading = computed(() => this.table.value !== null && !this.table.value.progress.loaded_once);
  readonly follows = computed(() => this.table.value?.follows !== false);
  private refreshing = false;
  private again = false;
  private listingApart = LISTING_APART;
  private readonly askAgain = new Spaced(
    () => this.listingApart,
    () => void this.listAgain(),
  );
  private listing = 0; // which listing of plugins the page has
  private retry: ReturnType<typeof setTimeout> | undefined;

  start(): void {
    void this.refresh();
    document.addEventListener('visibilitychange', () => this.follow());
  }

  private follow(): void {
    if (this.table.value) this.live.setVisible(document.visibilityState === 'visible');
  }

  private accept(changes: ServerChanges): void {
    if (changes.boot !== this.latest.value.boot) this.environment.value = null; // another process: maybe another logdir
    if (changes.generation !== this.latest.value.generation || changes.boot !== this.latest.value.boot) forgetStart();
    noteKnown(changes);
    this.latest.value = changes;
    void this.annotations.follow(changes.annotations);
    const unseen =
      changes.series === null || this.plugins.value?.some((tab) => !tab.enabled && changes.series?.[tab.name]);
    const others = (changes.plugins ?? 0) !== this.listing; // those made for TensorBoard load after the page
    this.listing = changes.plugins ?? 0;
    if (changes.runs || unseen || others || this.loading.value) void this.refresh();
    else if (this.plugins.value?.some((tab) => !tab.enabled && tab.loading_mechanism.type === 'IFRAME'))
      this.askAgain.ask();
  }

  /** Asks for the plugins alone, more seldom as long as the same ones have something to show. */
  private async listAgain(): Promise<void> {
    const tabs = await listedTabs().catch(() => null); // asked again with the next change
    const isNews = tabs?.some(({ enabled }, place) => enabled !== this.plugins.value?.[place]?.enabled);
    this.listingApart = isNews ? LISTING_APART : Math.min(LISTING_LONGEST, 2 * this.listingApart);
    if (tabs) this.plugins.value = tabs;
  }

  /** Asks again for runs and plugins: one request at a time, and at the end once more if asked meanwhile. */
  async refresh(): Promise<void> {
    if (this.refreshing) {
      this.again = true;
      return;
    }
    this.refreshing = true;
    clearTimeout(this.retry);
    try {
      const before = this.table.value;
      const [answer, tabs, environment] = await Promise.all([
        getJson<RunTableAnswer>('data/run_table', { since: before?.cursor }),
        listedTabs(),
        this.environment.value ?? getJson<Environment>('data/environment'),
      ]);
      if (answer.notices.length > 0) await reasonsIn(document.documentElement.lang); // that of the start too
      this.startError.value = null;
      this.away.value = null;
      this.environment.value = environment;
      this.plugins.value = tabs;
      const table = updated(before, answer);
      const first = before === null;
      if (first) {
        void this.annotations.refresh();
        this.latest.value = {
          ...(table.boot ? { boot: table.boot } : {}),
          generation: table.generation,
          runs: false,
          series: null,
        };
        this.live.startFrom(table.generation, table.boot);
      }
      this.table.value = table;
      if (first) this.follow();
    } catch (cause) {
      const reason = message(cause);
      if (this.table.value === null) this.startError.value = reason;
      else if (cause instanceof RequestError && cause.status === 503) this.away.value = reason;
      // Without an answer the live connection comes back and asks; an error answer it would not notice.
      if (this.table.value === null || (cause instanceof RequestError && cause.status > 0)) {
        this.retry = setTimeout(() => void this.refresh(), 3000);
      }
    }
    setTimeout(() => {
      this.refreshing = false;
      if (!this.again) return;
      this.again = false;
      void this.refresh();
    }, REFRESH_EVERY);
  }
}

/** Plugins are listed with those that are shown only to who asks for them, as in TensorBoard. */
async function listedTabs(): Promise<readonly Tab[]> {
  const asked = new URLSearchParams(location.search).getAll('experimentalPlugin');
  const listing = await getJson<Record<string, Listed>>('data/plugins_listing', { experimentalPlugin: asked });
  return Object.entries(listing).map(([name, listed]) => ({ ...listed, name }));
}

/** The part of a change that concerns one plugin; null when none of it does. */
export function changesFor(plugin: string, changes: ServerChanges): Changes | null {
  if (changes.series === null) return { generation: changes.generation, series: null };
  const series = changes.series[plugin];
  return series ? { generation: changes.generation, series } : null;
}

/** The run table as the host answers it. */
export interface RunTable {
  readonly generation: number;
  readonly boot?: string;
  /** What asks for the changes after this table. */
  readonly cursor?: string;
  readonly progress: { readonly bytes_read: number; readonly bytes_total: number; readonly loaded_once: boolean };
  /** Whether what is written after the start of the host is shown. */
  readonly follows?: boolean;
  /** What the user should know about the data as a whole. */
  readonly notices: readonly Reason[];
  /** Texts of plugins for their codes, by locale; with notices only. */
  readonly messages?: Messages;
  readonly runs: readonly RunRow[];
}

/** The table whole, or what changed since an earlier answer. */
export interface RunTableAnswer extends RunTable {
  /** Indices of `runs` in the table; where there are none, `runs` are all. */
  readonly places?: readonly number[];
  readonly gone?: readonly string[];
}

/** The table after an answer: rows that did not change keep their order. */
export function updated(before: RunTable | null, answer: RunTableAnswer): RunTable {
  const { places, gone = [], ...table } = answer;
  if (!places || !before) return table;
  const left = new Set([...gone, ...answer.runs.map(({ name }) => name)]);
  const runs = left.size > 0 ? before.runs.filter(({ name }) => !left.has(name)) : before.runs;
  return { ...table, runs: places.length > 0 ? inserted(runs, places, answer.runs) : runs };
}

function inserted(kept: readonly RunRow[], places: readonly number[], rows: readonly RunRow[]): readonly RunRow[] {
  const runs = [];
  let next = 0;
  for (const row of kept) {
    while (places[next] === runs.length) runs.push(rows[next++] as RunRow);
    runs.push(row);
  }
  return [...runs, ...rows.slice(next)];
}

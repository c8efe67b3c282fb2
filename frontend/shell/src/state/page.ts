/** State shared by all views; created once per page. */
import { codecs, visibleText } from '@insight-host/kit';
import { computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import type { CardSpec, Drawing, Run, RunChoice } from '@insight-host/api';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { translator } from '../i18n/texts';
import { TagSources } from '../live/tags';
import { Shortcuts } from '../plugin/shortcuts';
import { Cursor, Hovered } from './pointing';
import type {
  CardPlace,
  ColumnView,
  Comparing,
  Contributing,
  NameField,
  OpenPlugin,
  PanelView,
  ViewList,
} from './late';
import { Preferences } from './preferences';
import { Runs } from './runs';
import { isFramed, isWholePage, Session, type Tab } from './session';
import { type Dialog, NARROW, type PanelMenu, Toasts } from './overlays';
import { ViewUrl } from './url';

/** Groups of tabs that are a menu in the line of tabs; those of other groups are modes of one tab. */
const MENUS = ['media', 'model'] as const;

export class Page {
  readonly url = new ViewUrl();
  readonly session = new Session();
  readonly preferences = new Preferences(this.url);
  readonly runs = new Runs(this.session.table, this.session.annotations, this.preferences.mode, this.url);
  readonly tags = new TagSources();
  readonly cursor = new Cursor(this.url);
  readonly hovered = new Hovered();
  readonly shortcuts = new Shortcuts();
  readonly toasts = new Toasts();
  /** null until they are loaded. */
  readonly contributions = signal<Contributing | null>(null);
  /** null until they are loaded. */
  readonly views = signal<ViewList | null>(null);
  /** Whether the run list is a table with columns. */
  readonly tableOpen = this.url.state('table', codecs.flag(false));
  /** Columns of the run list; null until they are loaded. */
  readonly columns = signal<ColumnView | null>(null);
  readonly columnsWanted = signal(false);
  /** Columns that cards elsewhere and menus use. */
  readonly columnsOfOthers = signal<readonly string[]>([]);
  readonly colorBy = this.url.state('color', codecs.names);
  /** Menus and looks of the run panel; null until they are loaded. */
  readonly panel = signal<PanelView | null>(null);
  /** The menu of the run panel that is open. */
  readonly menu = signal<PanelMenu | null>(null);
  /** The run of the list that is being renamed. */
  readonly naming = signal<string | null>(null);
  /** The field for that; comes with the dialogs. */
  readonly nameField = signal<NameField | null>(null);
  /** The tab in front was drawn, or could not be. */
  readonly isShown = signal(false);
  /** Short texts at tabs, by plugin. */
  readonly badges = signal<Readonly<Record<string, string>>>({});
  readonly dialog = signal<Dialog | null>(null);
  readonly sidebarOpen = signal(innerWidth >= NARROW);
  readonly t = computed(() => translator(this.preferences.locale.value));
  private readonly wanted = this.url.state('tab', codecs.text);

  /** Plugins with data, or with a reason why they have none to show; and the one that a link names. */
  readonly tabs = computed<readonly Tab[]>(() => {
    // what has no tab has a place among them only while it fails, to say why
    const plugins = (this.session.plugins.value ?? []).filter((tab) => tab.tab !== false || tab.error);
    const shown = plugins.filter((tab) => tab.enabled || tab.error || tab.name === this.wanted.value);
    if (shown.some((tab) => this.hasData(tab) || (tab.name === this.wanted.value && !isFramed(tab)))) return shown;
    // Nothing has data: the first view stands for all, with its own words for having none.
    const first = plugins.find((tab) => !tab.error && !isFramed(tab));
    return first ? [first, ...shown.filter((tab) => tab !== first)] : shown;
  });
  /** The tabs of the group of one, in their order; what failed has no part in a group. */
  groupOf(name: string | undefined): readonly Tab[] {
    const tabs = this.tabs.value;
    const own = tabs.find((tab) => tab.name === name);
    const group = own?.error || own?.tab_group === 'more' ? '' : own?.tab_group;
    return tabs.filter((tab) => tab === own || (group && group === tab.tab_group && !tab.error));
  }
  /** The tab of its group that stands in the line of tabs. */
  headOf(name: string | undefined): Tab | undefined {
    return this.groupOf(name)[0];
  }
  /** Those of its group that a tab offers itself, as its modes; those of a menu are in the line of tabs. */
  modesOf(name: string): readonly Tab[] {
    return this.groupOf(name).filter((tab) => tab.name === name || !MENUS.some((menu) => menu === tab.tab_group));
  }
  /** The menu that a tab stands in, if there are several. */
  menuOf(tab: Tab): (typeof MENUS)[number] | undefined {
    return this.groupOf(tab.name).length > 1 ? MENUS.find((name) => name === tab.tab_group) : undefined;
  }
  /**
   * What the line of tabs has: of each group the first, that of the runs second. Those of the group "more" are in the
   * menu of the page until one is in front.
   */
  readonly line = computed(() => {
    const isRuns = (tab: Tab): boolean => tab.tab_group === 'runs';
    const isListed = (tab: Tab): boolean => tab.tab_group !== 'more' || tab === this.front.value || !!tab.error;
    const [first, ...rest] = this.tabs.value.filter((tab) => this.headOf(tab.name) === tab && isListed(tab));
    return first ? [first, ...rest.filter(isRuns), ...rest.filter((tab) => !isRuns(tab))] : [];
  });
  readonly front = computed<Tab | null>(() => {
    const tabs = this.tabs.value;
    const named = tabs.find((tab) => tab.name === this.wanted.value);
    return named ?? tabs.find((tab) => this.hasData(tab)) ?? tabs.find((tab) => !tab.error) ?? tabs[0] ?? null;
  });
  /**
   * What has something to show without a run stays within reach of who has none: frames, the tab that a link names, and
   * why it failed.
   */
  readonly isEmpty = computed(() => {
    const front = this.front.value;
    return (
      !this.hasRuns.value &&
      !(front?.enabled && isFramed(front)) &&
      !((front?.enabled || front?.error) && front.name === this.wanted.value)
    );
  });
  /** Runs that a chart draws first, and orders to choose from. */
  drawing(runs: Runs): ReadonlySignal<Drawing> {
    return computed(() => ({ places: runs.places.value, orders: this.panel.value?.orders(runs) ?? [] }));
  }

  /** The tab that shows runs next to each other, if one does. */
  readonly comparer = computed(() => this.tabs.value.find((tab) => tab.run_state && this.hasData(tab)));
  /** What compares runs there, once it is loaded. */
  readonly comparing = signal<Comparing | null>(null);

  /** TensorBoard's page has a list of runs of its own; what is chosen here would say nothing to it. */
  readonly hasSidebar = computed(() => !this.front.value || !isWholePage(this.front.value));
  readonly hasRuns = computed(() => this.runs.all.value.length > 0);
  /** Whether logs of several dialects are there, so that a badge tells runs apart. */
  readonly hasDialects = computed(() => new Set(this.runs.all.value.flatMap(({ dialects }) => dialects)).size > 1);
  /** What tabs about one run offer, by plugin. */
  readonly choices = signal<ReadonlyMap<string, RunChoice>>(new Map());
  /** The runs among which the panel chooses for the tab in front; null: it is about many. */
  readonly aboutOne = computed(() => this.offered(this.front.value?.name ?? ''));
  /** What the panel lists of the run that this tab shows. */
  readonly items = computed(() => this.choices.value.get(this.front.value?.name ?? '')?.items ?? []);
  private readonly mounted = new Set<OpenPlugin>();
  readonly title = computed(() => this.session.environment.value?.window_title || 'insight-host');
  /** Short name of the log directory; of several that of the first, and how many more there are. */
  readonly place = computed(() => {
    const [first = '', ...more] = (this.session.environment.value?.data_location ?? '').split(',');
    return (/[^\\/:]*(?=[\\/]*$)/.exec(first)?.[0] ?? '') + (more.length > 0 ? ` +${more.length}` : '');
  });

  constructor() {
    this.session.latest.subscribe((changes) => this.tags.accept(changes));
    effect(() => {
      const front = this.front.value;
      const name = this.session.environment.value?.window_title || this.place.value || this.title.value;
      document.title = visibleText(front ? `${name} · ${this.tabTitle(front)}` : name);
    });
    let away = false;
    effect(() => {
      const before = away;
      away = this.session.away.value !== null;
      if (before && !away && this.session.live.state.peek() !== 'disconnected') {
        untracked(() => this.toasts.show('info', this.t.value('away.back')));
      }
    });
  }

  /** From now on the run panel chooses one run for this tab; null: many. */
  offer(plugin: string, choice: RunChoice | null): void {
    const next = new Map(this.choices.peek());
    if (choice) next.set(plugin, choice);
    else next.delete(plugin);
    this.choices.value = next;
  }

  /** The listed runs that a tab has something of; null: it is about many. */
  private offered(plugin: string): readonly Run[] | null {
    const choice = this.choices.value.get(plugin);
    const { value: rows } = this.runs.rows;
    if (!choice) return null;
    const { value: table } = this.tags.of(plugin).table;
    const names = new Set(choice.among);
    const has = ({ name }: Run): boolean => (choice.among ? names.has(name) : !table || table.tagsOf(name).length > 0);
    const found = rows.filter(has);
    return found.length > 0 ? found : rows; // the tab says that it has nothing
  }

  /** The run that such a tab shows, see `one` of the contract. */
  oneOf(plugin: string, runs: Runs): ReadonlySignal<string | null> {
    return computed(() => {
      const wanted = runs.one.value;
      const awaited = wanted ?? runs.gone.value[0];
      if (this.session.loading.value && awaited && !runs.names.value.includes(awaited)) return awaited;
      const listed = (this.offered(plugin) ?? []).map(({ name }) => name);
      if (listed.length === 0 || (wanted !== null && listed.includes(wanted))) return wanted;
      const selected = runs.selectedSet.value;
      const ticked = listed.filter((name) => selected.has(name));
      return nearest(wanted ?? '', ticked.length > 0 ? ticked : listed, this.choices.value.get(plugin)?.among);
    });
  }

  /** The chosen run, where this tab shows another one because it has nothing of that. */
  missed(plugin: string): string | null {
    const { value: wanted } = this.runs.one;
    const { value: shown } = this.oneOf(plugin, this.runs);
    return this.choices.value.has(plugin) && !this.session.loading.value && wanted !== shown ? wanted : null;
  }

  /** Set by what loads the run panel. */
  loadPanel: () => Promise<PanelView | null> = () => Promise.resolve(null);

  /** Lets the user pick the colour of a run, next to an element. */
  pickColor(run: string, anchor: Element): void {
    void this.loadPanel().then((view) => view?.pick(run, anchor));
  }

  /** Shows a card elsewhere, with the runs and settings that it names. Set by what loads the code for it. */
  showCard: (spec: CardSpec, place: CardPlace) => void = () => undefined;

  private hasData(tab: Tab): boolean {
    return tab.enabled && !tab.error && this.hasRuns.value && !isWholePage(tab);
  }

  tabTitle(tab: Tab): string {
    return tab.titles?.[this.preferences.locale.value] || tab.tab_name || tab.name;
  }

  /** The title of a tab with the short text at it. */
  badged(tab: Tab): string {
    return [this.tabTitle(tab), this.badges.value[tab.name]].filter(Boolean).join(' ');
  }

  /** Brings a tab to the front; `state` are keys of its part of the URL. */
  open(tab: string, state: Readonly<Record<string, string | null>> = {}): void {
    for (const [key, value] of Object.entries(state)) this.url.set(`${tab}.${key}`, value, 'push');
    if (tab !== this.front.value?.name) this.wanted.set(tab, 'push');
  }

  /** Brings a tab to the front with these keys of its part of the URL, in which `{name}` stands for a text. */
  openAt(tab: string, state: Readonly<Record<string, string>>, texts: Readonly<Record<string, string | null>>): void {
    const filled = (value: string): string => value.replace(/\{(\w+)\}/g, (hole, name) => texts[name] ?? hole);
    this.open(tab, Object.fromEntries(Object.entries(state).map(([key, value]) => [key, filled(value) || null])));
  }

  /** Tabs that can show one step and have data. */
  readonly stepTabs = computed(() => this.tabs.value.filter((tab) => tab.step_state && this.hasData(tab)));

  /** Brings such a tab to the front at a step, of a run if it shows one at a time, and pins the cursor there. */
  openStep(name: string, step: number, from = '', run: string | null = null): boolean {
    const state = this.stepTabs.peek().find((tab) => tab.name === name)?.step_state;
    if (!state) return false;
    this.cursor.pin({ step }, from);
    this.openAt(name, state, { step: String(step), run: run === null ? '' : codecs.name.format(run) });
    return true;
  }

  /** Lays errors that nobody caught at the door of the plugin whose code threw them. */
  watchErrors(plugin: OpenPlugin): () => void {
    this.mounted.add(plugin);
    return () => this.mounted.delete(plugin);
  }

  uncaught(cause: unknown, source: string): void {
    const trace = `${source}\n${cause instanceof Error ? (cause.stack ?? '') : ''}`;
    if (this.contributions.peek()?.uncaught(cause, trace)) return;
    const named = [...this.mounted].filter((plugin) => trace.includes(plugin.moduleUrl.replace(/[^/]*$/, '')));
    // What the kit draws for a tab leaves no trace of it: then it is the one in front, unless the page itself is to
    // blame.
    const front =
      /\/static\/assets\/kit-/.test(trace) && !/\/static\/assets\/shell-/.test(trace)
        ? this.front.peek()?.name
        : undefined;
    for (const plugin of named.length ? named : this.mounted) {
      if (named.length || plugin.tab.name === front) plugin.report(cause);
    }
  }

  /** The tab `step` places to the right of the one in front, round the end. */
  turn(step: number): void {
    const tabs = this.line.value;
    const head = this.headOf(this.front.value?.name);
    const at = tabs.findIndex((tab) => tab === head);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next) this.open(next.name);
  }
}

/** Of these runs the one whose name begins most like `wanted`; of equal ones the first, in the order of `among`. */
function nearest(wanted: string, names: readonly string[], among: readonly string[] = names): string | null {
  const known = new Set(names);
  const alike = (name: string): number => {
    let at = 0;
    while (at < name.length && name[at] === wanted[at]) at++;
    return at;
  };
  return among
    .filter((name) => known.has(name))
    .reduce((best, name) => (best === null || alike(name) > alike(best) ? name : best), null as string | null);
}

const PageContext = createContext<Page | null>(null);
export const PageProvider = PageContext.Provider;

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('a view was drawn outside the page');
  return page;
}

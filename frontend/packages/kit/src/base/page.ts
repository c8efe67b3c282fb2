import { computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import { name } from './codecs';
import type {
  Codec,
  Disposer,
  Drawing,
  Locale,
  Mutable,
  PluginContext,
  ReadonlySignal,
  Run,
  Theme,
} from '@insight-host/api';

/** A key of the view that lives in the URL; reading `value` in a component follows it. */
export interface Setting<T> extends Live<T> {
  set(value: T, how?: 'push' | 'replace'): void;
}

/** What a tab knows of the page, as signals, and its own state in the URL. All that it started ends with the tab. */
export class Page {
  private readonly stops: Disposer[] = [];
  readonly theme: Live<Theme>;
  readonly locale: Live<Locale>;
  /** Those that are selected; in a tab about one run all that match the filter. */
  readonly runs: Live<readonly Run[]>;
  readonly allRuns: Live<readonly Run[]>;
  /** Names of the runs that stand out, in every tab. */
  readonly hovered: Live<readonly string[]>;
  /** The run that the run panel chooses in a tab about one run; null: none yet. */
  private readonly one: Live<string | null>;
  /** Which runs charts draw lines of, and the order of the run panel. */
  readonly drawing: Live<Drawing>;
  /** False while another tab is in front: stop drawing and fetching. */
  readonly visible: Live<boolean>;
  /** Names of the plugins that have a tab. */
  readonly tabs: Live<readonly string[]>;

  constructor(readonly ctx: PluginContext) {
    this.theme = this.follow(ctx.theme);
    this.locale = this.follow(ctx.locale);
    this.runs = this.follow(ctx.runs.selected);
    this.allRuns = this.follow(ctx.runs.all);
    this.hovered = this.follow(ctx.runs.hovered);
    this.one = this.follow(ctx.runs.one);
    this.drawing = this.follow(ctx.runs.drawing);
    this.visible = this.follow(ctx.visible);
    this.tabs = this.follow(ctx.tabs);
  }

  dispose(): void {
    for (const stop of this.stops) stop();
  }

  /** A text of the catalogue, in the locale that is followed. */
  readonly t: PluginContext['t'] = (key, values) => {
    void this.locale.value;
    return this.ctx.t(key, values);
  };

  /** A reason that the host gave, in the locale that is followed. */
  readonly reason: PluginContext['reason'] = (reason) => {
    void this.locale.value;
    return this.ctx.reason(reason);
  };

  readonly runsByName = computed<ReadonlyMap<string, Run>>(
    () => new Map(this.allRuns.value.map((run) => [run.name, run])),
  );

  /** What people call a run; its name where they call it nothing else. */
  nameOf(run: string): string {
    return this.runsByName.value.get(run)?.displayName ?? run;
  }

  /** The CSS colour of a run; a faint one for a run that is not there. */
  colorOf(run: string): string {
    return this.runsByName.value.get(run)?.color ?? 'var(--faint)';
  }

  /** These runs in the order of the run panel. */
  inPanelOrder<R extends Pick<Run, 'name'>>(runs: readonly R[]): readonly R[] {
    const { places } = this.drawing.value;
    return [...runs].sort((a, b) => (places.get(a.name) ?? 0) - (places.get(b.name) ?? 0));
  }

  /**
   * Of these runs the one that the run panel chooses, else the first that it lists; undefined if there are none, and
   * while a run that a link names is not loaded yet.
   */
  oneOf<R extends Pick<Run, 'name'>>(runs: readonly R[]): R | undefined {
    const { value: one } = this.one;
    const isAwaited = one !== null && !this.runsByName.value.has(one);
    return runs.find(({ name }) => name === one) ?? (isAwaited ? undefined : this.inPanelOrder(runs)[0]);
  }

  /** The run of which a link names something under this key of the plugin becomes the one that is shown. */
  linkedRun(key: string): void {
    const named = this.setting(key, name);
    const choose = (run: string | null): void => {
      if (run === null) return;
      this.ctx.runs.one.set(run);
      named.set(null);
    };
    this.until(named.subscribe(choose));
  }

  /** What people read for some tags in their place. */
  readonly titles = signal<ReadonlyMap<string, string>>(new Map());

  /** What people read for a tag: one without letters has a placeholder. */
  titleOf(tag: string): string {
    return this.titles.value.get(tag) ?? (tag.trim() ? tag : this.t('tag.unnamed'));
  }

  /**
   * One key of the view, kept in the URL under the plugin's name. With `settle`, the URL says a change that many ms
   * after the last one: browsers limit URL updates, and a slider makes many.
   */
  setting<T>(key: string, codec: Codec<T>, settle = 0): Setting<T> {
    return this.settled(this.ctx.url.state(key, codec), settle);
  }

  /** A setting that is `source`, but for changes, of which it learns `settle` ms after the last one. */
  settled<T>(source: Mutable<T>, settle: number): Setting<T> {
    const copy = signal(source.value);
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.until(
      source.subscribe((value) => {
        clearTimeout(timer);
        copy.value = value;
      }),
    );
    this.until(() => clearTimeout(timer));
    const set: Setting<T>['set'] = (value, how) => {
      clearTimeout(timer);
      if (settle === 0) return source.set(value, how);
      copy.value = value;
      timer = setTimeout(() => source.set(value, how), settle);
    };
    return Object.assign(copy, { set });
  }

  /** A signal of the page as one of Preact. */
  follow<T>(source: ReadonlySignal<T>): Live<T> {
    const copy = signal(source.value);
    this.until(source.subscribe((value) => (copy.value = value)));
    return copy;
  }

  /** Calls `listener` after each change until the tab ends, not with the value of now. */
  onChange<T>(source: ReadonlySignal<T>, listener: (value: T) => void): void {
    let first = true;
    this.until(
      source.subscribe((value) => {
        if (!first) listener(value);
        first = false;
      }),
    );
  }

  /** Calls `stop` when the tab ends. */
  until(stop: Disposer): void {
    this.stops.push(stop);
  }
}

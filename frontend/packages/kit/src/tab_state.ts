import { computed, signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Codec, Disposer, Locale, Mutable, PluginContext, ReadonlySignal, Run, Theme } from '@insight-host/api';

/** A key of the view that lives in the URL; reading `value` in a component follows it. */
export interface Setting<T> extends Live<T> {
  set(value: T, how?: 'push' | 'replace'): void;
}

/** What any tab knows of the page, as signals; a tab extends it by what it shows and what the user has set. */
export class TabState {
  private readonly stops: Disposer[] = [];
  readonly theme: Live<Theme>;
  readonly locale: Live<Locale>;
  /** Those that are selected. */
  readonly runs: Live<readonly Run[]>;
  readonly allRuns: Live<readonly Run[]>;
  /** False while another tab is in front: stop drawing and fetching. */
  readonly visible: Live<boolean>;
  /** Names of the plugins that have a tab. */
  readonly tabs: Live<readonly string[]>;

  constructor(readonly ctx: PluginContext) {
    this.theme = this.follow(ctx.theme);
    this.locale = this.follow(ctx.locale);
    this.runs = this.follow(ctx.runs.selected);
    this.allRuns = this.follow(ctx.runs.all);
    this.visible = this.follow(ctx.visible);
    this.tabs = this.follow(ctx.tabs);
  }

  dispose(): void {
    for (const stop of this.stops) stop();
  }

  /** A text of the catalogue, in the locale that is followed. */
  t(key: string, values?: Readonly<Record<string, string | number>>): string {
    void this.locale.value;
    return this.ctx.t(key, values);
  }

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

  /** One key of the view, kept in the URL under the plugin's name. */
  protected setting<T>(key: string, codec: Codec<T>): Setting<T> {
    const source: Mutable<T> = this.ctx.url.state(key, codec);
    const copy = this.follow(source) as Setting<T>;
    copy.set = (value, how) => source.set(value, how);
    return copy;
  }

  /**
   * A setting that updates the board immediately, and the URL `wait` ms after its last change, because browsers limit
   * URL updates.
   */
  protected later<T>(source: Setting<T>, wait: number): Setting<T> {
    const copy = signal(source.value);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = source.subscribe((value) => {
      clearTimeout(timer);
      copy.value = value;
    });
    this.stops.push(stop, () => clearTimeout(timer));
    const set: Setting<T>['set'] = (value, how) => {
      copy.value = value;
      clearTimeout(timer);
      timer = setTimeout(() => source.set(value, how), wait);
    };
    return Object.assign(copy, { set });
  }

  protected follow<T>(source: ReadonlySignal<T>): Live<T> {
    const copy = signal(source.value);
    this.stops.push(source.subscribe((value) => (copy.value = value)));
    return copy;
  }

  /** Calls `listener` after each change until the tab ends, not with the value of now. */
  protected onChange<T>(source: ReadonlySignal<T>, listener: (value: T) => void): void {
    let first = true;
    this.until(
      source.subscribe((value) => {
        if (!first) listener(value);
        first = false;
      }),
    );
  }

  /** Ends with the tab. */
  protected until(stop: Disposer): void {
    this.stops.push(stop);
  }
}

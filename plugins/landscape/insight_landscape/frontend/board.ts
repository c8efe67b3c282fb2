import { batch, computed, effect, signal } from '@preact/signals';
import type { Codec, PluginContext, Run } from '@insight-host/api';
import { Board, codecs, message, portions, RequestQueue } from '@insight-host/kit';
import { FIRST_CAMERA, HIGHEST, LOWEST, ZOOMS, type Camera } from './camera';
import { decoded, type Landscape, type Listed } from './landscape';
import { Player } from './player';
import type { Item } from './plan';
import { RAMP_NAMES, type RampName } from './ramps';

export const FORMS = ['contour', 'topographic', 'surface'] as const;
export const MODES = ['analysis', 'comparison'] as const;
export const LAYOUTS = ['tiled', 'overlaid'] as const;
export type Form = (typeof FORMS)[number];
export const LEVELS = [10, 80] as const;
export const WIDTHS = [1, 5] as const;
const PORTION = 12; // landscapes side by side until more are asked for
const SETTLE = 300; // ms without a change before the URL says it
const REST = 180; // ms without a move
const AT_ONCE = 4;

const color: Codec<string> = {
  parse: (text) => (text && /^[\da-f]{6}$/i.test(text) ? `#${text.toLowerCase()}` : '#ff3b30'),
  format: (value) => (value === '#ff3b30' ? null : value.slice(1)),
};

type Intervals = { readonly runs: readonly { readonly run: string; readonly landscapes: readonly Listed[] }[] };
export type Loaded = { readonly landscape: Landscape } | { readonly error: string };
type Changed = Parameters<Board['changed']>[0];

const itemOf = ({ name, displayName, color }: Run, landscape: Landscape): Item => ({
  landscape,
  run: name,
  name: displayName,
  color,
});
const same = (entry: Listed, id: string): boolean => entry.id === id;

/** What the Landscape tab shows: one landscape of a run, or the final ones of several. */
export class LandscapeBoard extends Board {
  readonly mode = this.setting('mode', codecs.choice(MODES, 'analysis'));
  readonly form = this.setting('form', codecs.choice(FORMS, 'contour'));
  readonly layout = this.setting('layout', codecs.choice(LAYOUTS, 'tiled'));
  private readonly wantedRun = this.setting('run', codecs.name);
  private readonly wantedId = this.setting('interval', codecs.name);
  private readonly wantedFront = this.setting('front', codecs.name);
  readonly ramp = this.setting('colors', codecs.choice<RampName>(RAMP_NAMES, 'viridis'));
  readonly levels = this.setting('lines', codecs.wholeNumber(...LEVELS, 20), SETTLE);
  readonly log = this.setting('log', codecs.flag(false));
  readonly pathColor = this.setting('path', color, SETTLE);
  readonly pathWidth = this.setting('width', codecs.wholeNumber(...WIDTHS, 2));
  readonly opacity = this.setting('opacity', codecs.number(0.2, 1, 1), SETTLE);
  private readonly azimuth = this.setting('azimuth', codecs.number(-180, 180, FIRST_CAMERA.azimuth), SETTLE);
  private readonly elevation = this.setting(
    'elevation',
    codecs.number(LOWEST, HIGHEST, FIRST_CAMERA.elevation),
    SETTLE,
  );
  private readonly zoom = this.setting('zoom', codecs.number(...ZOOMS, FIRST_CAMERA.zoom), SETTLE);
  /** Landscapes side by side show the same part of their planes. */
  readonly sameAxes = this.setting('axes', codecs.flag(true));
  readonly screen = this.setting('screen', codecs.flag(false));
  readonly facts = this.setting('facts', codecs.flag(true));

  /** The landscapes of the runs that were asked for so far. */
  readonly listed = signal<ReadonlyMap<string, readonly Listed[]>>(new Map());
  readonly listFailure = signal<string | null>(null);
  private readonly listings = new Map<string, number>(); // by run, which request for its list is the latest
  readonly shownCount = signal(PORTION);
  private readonly loads = signal<ReadonlyMap<string, Loaded>>(new Map());
  private readonly requested = new Set<string>();
  private readonly queue = new RequestQueue(AT_ONCE);
  private listing = 0;
  readonly player: Player;

  constructor(ctx: PluginContext) {
    super(ctx, 'tag');
    this.player = new Player(() => this.shown.value?.landscape.path ?? null);
    this.until(() => this.player.pause());
    this.until(() => clearTimeout(this.rest));
    this.until(this.visible.subscribe((visible) => !visible && this.player.pause()));
    this.until(effect(() => this.loadLists(this.wantedLists.value.filter((run) => !this.listings.has(run)))));
  }

  protected override changed(series: Changed): void {
    // Also files with more data of a shown run: keep the current data until the new answer arrives.
    for (const key of this.requested)
      if (!series || series[(JSON.parse(key) as readonly string[])[0] ?? '']) this.requested.delete(key);
    for (const run of series ? Object.keys(series) : [...this.listings.keys()]) this.listings.delete(run);
    this.loadLists(this.wantedLists.value.filter((run) => !this.listings.has(run)));
  }

  private loadLists(runs: readonly string[]): void {
    for (const portion of portions(runs)) void this.loadList(portion);
  }

  private async loadList(wanted: readonly string[]): Promise<void> {
    const mine = ++this.listing;
    for (const run of wanted) this.listings.set(run, mine);
    try {
      const { runs } = await this.ctx.data.json<Intervals>('intervals', { run: wanted }, { signal: this.ctx.signal });
      const found = new Map(runs.map(({ run, landscapes }) => [run, landscapes]));
      const listed = new Map(this.listed.value);
      for (const run of wanted) if (this.listings.get(run) === mine) listed.set(run, found.get(run) ?? []);
      this.listed.value = listed;
      this.listFailure.value = null;
    } catch (error) {
      if (this.ctx.signal.aborted) return;
      for (const run of wanted) if (this.listings.get(run) === mine) this.listings.delete(run);
      this.listFailure.value = message(error);
    }
  }

  /** Selected runs with landscapes. */
  readonly choices = computed<readonly Run[]>(() =>
    this.runs.value.filter(({ name }) => this.table.value?.[name] && this.listed.value.get(name)?.length !== 0),
  );
  /** The run that is analysed: the one asked for, if it is selected, or the first. */
  readonly run = computed<Run | null>(
    () => this.choices.value.find(({ name }) => name === this.wantedRun.value) ?? this.choices.value[0] ?? null,
  );
  /** Runs whose landscapes must be known: of all that could be compared, or of the one that is analysed. */
  private readonly wantedLists = computed<readonly string[]>(() =>
    this.mode.value === 'comparison'
      ? this.choices.value.map(({ name }) => name)
      : this.run.value
        ? [this.run.value.name]
        : [],
  );
  /** Whether what is to be shown is still asked for. */
  readonly isListing = computed(() => this.wantedLists.value.some((run) => !this.listed.value.has(run)));
  readonly entries = computed<readonly Listed[]>(() => this.listed.value.get(this.run.value?.name ?? '') ?? []);
  readonly entry = computed<Listed | null>(
    () => this.entries.value.find((entry) => same(entry, this.wantedId.value ?? '')) ?? this.entries.value[0] ?? null,
  );

  pickRun(name: string): void {
    this.player.reset();
    this.wantedRun.set(name);
  }

  pickEntry(id: string): void {
    this.player.reset();
    this.wantedId.set(id);
  }

  /** The next or the one before of the landscapes of the run. */
  step(by: 1 | -1): void {
    const entries = this.entries.value;
    const at = entries.findIndex((entry) => entry === this.entry.value);
    const next = entries[Math.max(0, Math.min(entries.length - 1, at + by))];
    if (next) this.pickEntry(next.id);
  }

  /** What is known of a landscape; asks for it the first time. */
  loaded(run: string, entry: Listed): Loaded | null {
    if (entry.error !== undefined) return { error: entry.error };
    const key = JSON.stringify([run, entry.id, entry.tag, entry.step, entry.wall_time]);
    const found = this.loads.value.get(key);
    if (!found && !this.requested.has(key)) {
      this.requested.add(key);
      void this.load(key, run, entry.id);
    }
    return found ?? null;
  }

  /** Asks again for what could not be loaded. */
  retry(): void {
    const left = new Map([...this.loads.value].filter(([, loaded]) => 'landscape' in loaded));
    this.requested.clear();
    for (const key of left.keys()) this.requested.add(key);
    this.loads.value = left;
    this.listFailure.value = null;
    this.loadLists(this.wantedLists.value);
  }

  private async load(key: string, run: string, id: string): Promise<void> {
    let loaded: Loaded;
    try {
      const columns = await this.queue.run(
        () => 0,
        this.ctx.signal,
        () => this.ctx.data.columns('landscape', { run, id, format: 'safetensors' }, { signal: this.ctx.signal }),
      );
      loaded = { landscape: decoded(columns) };
    } catch (error) {
      if (this.ctx.signal.aborted) return;
      loaded = { error: message(error) };
    }
    this.loads.value = new Map(this.loads.value).set(key, loaded);
  }

  readonly state = computed<Loaded | null>(() =>
    this.run.value && this.entry.value ? this.loaded(this.run.value.name, this.entry.value) : null,
  );
  /** The landscape that is analysed. */
  readonly shown = computed<Item | null>(() => {
    const [run, state] = [this.run.value, this.state.value];
    return run && state && 'landscape' in state ? itemOf(run, state.landscape) : null;
  });

  /** Of the selected runs the final landscape of each. */
  readonly finals = computed(() =>
    this.choices.value.flatMap((run) => {
      const entry = this.listed.value.get(run.name)?.find(({ kind }) => kind === 'final');
      return entry ? [{ run, entry }] : [];
    }),
  );
  readonly compared = computed(() =>
    this.finals.value
      .slice(0, this.shownCount.value)
      .map(({ run, entry }) => ({ run, entry, loaded: this.loaded(run.name, entry) })),
  );
  readonly comparedItems = computed<readonly Item[]>(() =>
    this.compared.value.flatMap(({ run, loaded }) =>
      loaded && 'landscape' in loaded ? [itemOf(run, loaded.landscape)] : [],
    ),
  );
  /** Whether more landscapes follow those that are compared already. */
  readonly isComing = computed(
    () =>
      this.mode.value === 'comparison' &&
      this.comparedItems.value.length > 0 &&
      this.compared.value.some(({ loaded }) => !loaded),
  );
  /** Of the landscapes upon each other, the one that has the colour map. */
  readonly front = computed<string | null>(
    () =>
      (this.comparedItems.value.find(({ run }) => run === this.wantedFront.value) ?? this.comparedItems.value[0])
        ?.run ?? null,
  );

  bringToFront(run: string): void {
    this.wantedFront.set(run);
  }

  more(): void {
    this.shownCount.value += PORTION;
  }

  /** Whether the camera moves, until it rests for a moment. */
  readonly moving = signal(false);
  private rest: ReturnType<typeof setTimeout> | undefined;
  readonly camera = computed<Camera>(() => ({
    azimuth: this.azimuth.value,
    elevation: this.elevation.value,
    zoom: this.zoom.value,
  }));

  look({ azimuth, elevation, zoom }: Camera): void {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => (this.moving.value = false), REST);
    this.moving.value = true;
    batch(() => {
      this.azimuth.set(azimuth);
      this.elevation.set(elevation);
      this.zoom.set(zoom);
    });
  }

  turnForm(): void {
    this.form.set(FORMS[(FORMS.indexOf(this.form.value) + 1) % FORMS.length] as Form);
  }
}

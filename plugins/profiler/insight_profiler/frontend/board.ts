import { batch, computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import { codecs, message, RequestQueue, Page, type Setting } from '@insight-host/kit';
import type { PluginContext } from '@insight-host/api';
import type { Side } from './answers/operators';
import type { ProfileAnswer, ProfileInfo, ProfileKey, Values } from './answers/profile';
import { VIEWS, type ViewName } from './view_names';
import { pressed, stepsCodec, type StepRange } from './steps';
import { TableSettings, type FieldName } from './table/settings';
import { rangeCodec, spanCodec } from './timeline/span';
import { zoomOf, zoomText, type Zoom } from './zooms';
import { TIME_UNITS, unitOf, type TimeUnit } from './units';

const POLL = 500; // ms between two looks at a profile that is being read
const SETTLE = 250; // ms without a move before the URL says it
const REST = 1000; // ms between two questions while data change
const ALL_VIEWS: readonly ViewName[] = [...VIEWS, 'compare'];

const FOLLOWING: readonly ViewName[] = ['overview', 'steps', 'timeline', 'communication', 'cluster'];

export const GROUPINGS = ['type', 'name', 'shape', 'scope'] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const OPERATOR_KEYS = ['name', 'type', 'scope', 'shapes'] as const;
/** What tells operators apart; what is left out tells nothing. */
export type OperatorKey = Readonly<Partial<Record<(typeof OPERATOR_KEYS)[number], string>>>;

export const same = (a: ProfileKey | null | undefined, b: ProfileKey | null | undefined): boolean =>
  !!a && !!b && a.run === b.run && a.profile === b.profile;

/** What the profiler tab shows, and what the user has set. */
export class ProfilerBoard extends Page {
  readonly queue = new RequestQueue(4);
  readonly listing = signal<readonly ProfileInfo[] | null>(null);
  readonly listFailure = signal<string | null>(null);
  /** The profile in front, as far as it is read; null until the first answer. */
  readonly profile = signal<ProfileAnswer | null>(null);
  /** Why the host says nothing about it. */
  readonly failure = signal<string | null>(null);

  /** Where operators of the profile ran. */
  readonly sides = signal<readonly Side[]>([]);
  readonly dialog = signal<'profile' | 'base' | 'notes' | null>(null);

  readonly run = this.setting('run', codecs.name);
  readonly path = this.setting('profile', codecs.name);
  readonly viewWanted = this.setting('view', codecs.choice<ViewName | ''>(ALL_VIEWS, ''));
  readonly steps: Setting<StepRange | null> = this.setting('steps', stepsCodec);
  readonly unit = this.setting('unit', codecs.choice<TimeUnit | 'auto'>(TIME_UNITS, 'auto'));
  readonly baseRun = this.setting('base-run', codecs.name);
  readonly basePath = this.setting('base', codecs.name);

  readonly by = this.setting('by', codecs.choice<Grouping>(GROUPINGS, 'type'));
  readonly side = this.setting('side', codecs.choice<'' | 'host' | 'device'>(['host', 'device'], ''));
  /** The category that was gone into. */
  readonly type = this.setting('type', codecs.name);
  readonly chart = this.setting('chart', codecs.choice<'pie' | 'bars' | 'none'>(['pie', 'bars', 'none'], 'pie'));
  /**
   * The operator whose details are next to the table: its name, type, scope and shapes, as far as needed to identify
   * it.
   */
  readonly opened = this.setting('operator', codecs.names);
  /** A slice of the timeline that another view leads to. */
  readonly slice = this.setting('slice', codecs.name);
  /**
   * Of the timeline: what it shows (null: everything), the stretch that is summed up, groups and tracks that are
   * closed.
   */
  readonly window = this.setting('window', spanCodec);
  readonly range = this.setting('range', rangeCodec);
  readonly closed = this.setting('closed', codecs.names);
  readonly group = this.setting(
    'group',
    codecs.choice<'name' | 'operator' | 'none'>(['name', 'operator', 'none'], 'name'),
  );
  readonly per = this.setting('per', codecs.choice<'total' | 'step' | 'call'>(['total', 'step', 'call'], 'total'));
  readonly communicationTable = this.setting(
    'table',
    codecs.choice<'operators' | 'links'>(['operators', 'links'], 'operators'),
  );
  readonly stage = this.setting('stage', codecs.name);
  /** In which time of their steps ranks are compared. */
  readonly rankTime = this.setting('rank-time', codecs.text);
  /** The operator of a parallel strategy whose attributes are shown. */
  readonly strategyOperator = this.setting('strategy', codecs.name);
  /** By which column tables that are sorted in the page are sorted, by name. */
  readonly sorts = this.setting('sorts', codecs.byTag<string>(codecs.decoded, codecs.encoded));
  readonly zooms = this.setting('zoom', codecs.byTag<Zoom>(zoomOf, zoomText), SETTLE);
  readonly pipelineOperator = this.setting('pipeline', codecs.name);

  readonly operators = this.table('', ['all', 'name', 'type', 'scope']);
  readonly kernels = this.table('kernels', ['all']);
  readonly shapes = this.table('shapes', ['all']);
  readonly stepTable = this.table('step-table', []);
  readonly communication = this.table('communication', ['all']);
  readonly comparison = this.table('compare', ['all']);

  private listTimer: ReturnType<typeof setTimeout> | undefined;
  private pollTimer: ReturnType<typeof setTimeout> | undefined;
  private lastList = 0;
  private looks = 0;
  private asked: ProfileKey | null = null;

  constructor(ctx: PluginContext) {
    super(ctx);
    let isFirst = true;
    this.until(ctx.changes.subscribe(() => (isFirst ? (isFirst = false) : this.scheduleList())));
    this.until(
      effect(() => {
        if (this.visible.value) untracked(() => void this.loadList());
      }),
    );
    this.until(
      effect(() => {
        const { value: chosen } = this.chosen;
        if (this.visible.value) untracked(() => this.look(chosen));
      }),
    );
    this.until(() => {
      clearTimeout(this.listTimer);
      clearTimeout(this.pollTimer);
    });
  }

  private table(prefix: string, fields: readonly FieldName[]): TableSettings {
    const key = (name: string): string => (prefix ? `${prefix}-${name}` : name);
    return new TableSettings(
      this.setting(key('q'), codecs.text, 250),
      this.setting(key('regex'), codecs.flag(false)),
      this.setting(key('field'), codecs.choice(['all', 'name', 'type', 'scope'], 'all')),
      this.setting(key('sort'), codecs.text),
      this.setting(key('columns'), codecs.names),
      fields,
    );
  }

  /** Profiles of the selected runs, newest first. */
  readonly listed = computed<readonly ProfileInfo[]>(() => {
    const selected = new Set(this.runs.value.map(({ name }) => name));
    return (this.listing.value ?? []).filter(({ run }) => selected.has(run));
  });

  /** That of the address, where there is one; else the newest of the selected runs. */
  readonly chosen: ReadonlySignal<ProfileKey | null> = computed(() => {
    const wanted =
      this.run.value !== null && this.path.value !== null ? { run: this.run.value, profile: this.path.value } : null;
    const { value: listing } = this.listing;
    if (listing === null) return wanted;
    const found =
      wanted &&
      (listing.find((profile) => same(profile, wanted)) ??
        listing.find(({ run }) => run === wanted.run && this.listed.value.some((one) => one.run === run)));
    const shown = this.listed.value.find((profile) => same(profile, this.asked)); // a newer one takes nobody's place
    return found ?? shown ?? this.listed.value[0] ?? null;
  });
  readonly chosenInfo = computed<ProfileInfo | null>(
    () => this.listing.value?.find((profile) => same(profile, this.chosen.value)) ?? null,
  );

  /** What names the profile in every question. */
  readonly query = computed<{ readonly run: string; readonly profile: string }>(() => ({
    run: this.profile.value?.run ?? '',
    profile: this.profile.value?.profile ?? '',
  }));
  readonly stepsQuery = computed<string | null>(() => stepsCodec.format(this.steps.value));

  /**
   * Whether the view in front shows only the steps that were chosen; where the log has only sums, operators are of all.
   */
  readonly followsSteps = computed<boolean>(() => {
    const { value: view } = this.view;
    const isOfRuns = view === 'operators' || view === 'kernels';
    return view === null || (isOfRuns ? (this.profile.value?.counts?.['slices'] ?? 0) > 0 : FOLLOWING.includes(view));
  });

  readonly base = computed<ProfileInfo | null>(() => {
    const wanted =
      this.baseRun.value !== null && this.basePath.value !== null
        ? { run: this.baseRun.value, profile: this.basePath.value }
        : null;
    return this.listing.value?.find((profile) => same(profile, wanted)) ?? null;
  });

  /** The views that this profile has something for. */
  readonly views = computed<readonly ViewName[]>(() => {
    const own = this.profile.value?.views ?? [];
    const several = (this.listing.value?.length ?? 0) > 1;
    return ALL_VIEWS.filter((view) => (view === 'compare' ? several && own.includes('operators') : own.includes(view)));
  });
  readonly view = computed<ViewName | null>(() => {
    const { value: views } = this.views;
    const wanted = this.viewWanted.value;
    return wanted !== '' && views.includes(wanted) ? wanted : (views[0] ?? null);
  });

  // What changes together changes at once: half of it would name something else.
  open({ run, profile }: ProfileKey): void {
    batch(() => {
      this.run.set(run, 'push');
      this.path.set(profile);
      this.opened.set([]);
      this.type.set(null);
      this.steps.set(null);
      this.zooms.set(new Map());
      this.forget();
    });
  }

  /** Places on the timeline of one profile mean nothing on that of another. */
  forget(): void {
    this.slice.set(null);
    this.window.set(null);
    this.range.set(null);
    this.closed.set([]);
  }

  compareWith(base: ProfileKey | null): void {
    batch(() => {
      this.viewWanted.set(base ? 'compare' : '', 'push');
      this.baseRun.set(base?.run ?? null);
      this.basePath.set(base?.profile ?? null);
    });
  }

  /** What is compared changes places. */
  swap(): void {
    const [own, base] = [this.chosen.peek(), this.base.peek()];
    if (!own || !base) return;
    batch(() => {
      this.run.set(base.run, 'push');
      this.path.set(base.profile);
      this.baseRun.set(own.run);
      this.basePath.set(own.profile);
    });
  }

  /** To a view, with what advice or another view wants it to show. */
  go(view: string, parameters: Values = {}): void {
    batch(() => this.lead(view, parameters));
  }

  private lead(view: string, parameters: Values): void {
    const name = ALL_VIEWS.find((one) => one === view);
    if (!name) return;
    this.viewWanted.set(name, 'push');
    const text = (key: string): string | null =>
      parameters[key] === undefined || parameters[key] === null ? null : String(parameters[key]);
    if (name === 'operators') {
      const side = text('side');
      if (side === 'host' || side === 'device') this.side.set(side);
      const by = text('by');
      if (GROUPINGS.some((one) => one === by)) this.by.set(by as Grouping);
      this.type.set(text('type'));
    }
    const table = name === 'operators' ? this.operators : name === 'kernels' ? this.kernels : null;
    if (table) {
      table.query.set(text('q') ?? '');
      if (text('sort') !== null) table.sort.set(text('order') === 'asc' ? `${text('sort')}` : `-${text('sort')}`);
    }
    if (text('steps') !== null) this.steps.set(stepsCodec.parse(text('steps')));
  }

  /** The table of operators, with the details of one of them next to it. */
  openOperator(side: Side, by: Grouping, key: OperatorKey): void {
    batch(() => {
      this.viewWanted.set('operators', 'push');
      this.side.set(side);
      this.by.set(by);
      this.type.set(null);
      this.opened.set(OPERATOR_KEYS.map((name) => key[name] ?? ''));
    });
  }

  /** From a category to its operators. */
  openType(type: string): void {
    batch(() => {
      this.type.set(type, 'push');
      this.by.set('name');
      this.opened.set([]);
      this.operators.query.set('');
    });
  }

  leaveType(): void {
    batch(() => {
      this.type.set(null, 'push');
      this.by.set('type');
      this.opened.set([]);
    });
  }

  /** Only this step counts, in every view; pressed again, all do. */
  chooseStep(number: number, extend: boolean, keep = false): void {
    const next = pressed(this.steps.peek(), number, extend);
    this.steps.set(next ?? (keep ? { first: number, last: number } : null), 'push');
  }

  openSlice(id: number): void {
    this.viewWanted.set('timeline', 'push');
    this.slice.set(String(id));
  }

  /** One unit for a table while a profile is looked at, whatever it is sorted by: that which suited `ns` first. */
  steadyUnit(table: string, ns: number | null): TimeUnit {
    const { value: chosen } = this.unit;
    if (chosen !== 'auto') return chosen;
    const key = JSON.stringify([this.query.value, table]);
    const known = this.units.get(key);
    if (known || ns === null) return known ?? 'ms';
    const unit = unitOf(ns);
    if (this.profile.value?.complete) this.units.set(key, unit);
    return unit;
  }
  private readonly units = new Map<string, TimeUnit>();

  private scheduleList(): void {
    if (!this.visible.peek()) return;
    this.listTimer ??= setTimeout(
      () => {
        this.listTimer = undefined;
        void this.loadList();
        this.look(this.chosen.peek()); // its files may have changed
      },
      Math.max(0, REST - (Date.now() - this.lastList)),
    );
  }

  async loadList(): Promise<void> {
    try {
      const { profiles } = await this.ctx.data.json<{ readonly profiles: readonly ProfileInfo[] }>(
        'profiles',
        {},
        { signal: this.ctx.signal },
      );
      this.listing.value = profiles;
      this.listFailure.value = null;
    } catch (error) {
      if (!this.ctx.signal.aborted) this.listFailure.value = message(error);
    } finally {
      this.lastList = Date.now();
    }
  }

  /** Asks how far a profile is read, which starts reading, and again until it is. */
  private look(key: ProfileKey | null): void {
    clearTimeout(this.pollTimer);
    const mine = ++this.looks;
    if (!key) {
      this.profile.value = null;
      return;
    }
    if (!same(this.asked, key)) {
      this.failure.value = null;
      this.sides.value = [];
    }
    this.asked = key;
    const ask = async (): Promise<void> => {
      try {
        const answer = await this.ctx.data.json<ProfileAnswer>(
          'profile',
          { run: key.run, profile: key.profile },
          { signal: this.ctx.signal },
        );
        if (mine !== this.looks) return;
        this.profile.value = answer;
        this.failure.value = null;
        if (answer.state !== 'reading') return;
      } catch (error) {
        if (this.ctx.signal.aborted || mine !== this.looks) return;
        this.failure.value = message(error);
        if (!same(this.profile.peek(), key)) this.profile.value = null;
      }
      if (this.visible.peek())
        this.pollTimer = setTimeout(() => void ask(), this.failure.peek() === null ? POLL : 4 * POLL);
    };
    void ask();
  }

  retry(): void {
    void this.loadList();
    this.look(this.chosen.peek());
  }
}

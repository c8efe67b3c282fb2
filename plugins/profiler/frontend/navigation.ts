import { batch, computed } from '@preact/signals';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import type { Side } from './answers/operators';
import type { ProfileKey, Values } from './answers/profile';
import type { Profiles } from './profiles';
import { GROUPINGS, OPERATOR_KEYS, type Grouping, type OperatorKey, type ProfilerSettings } from './settings';
import { pressed, stepsCodec } from './steps';
import { VIEWS, type ViewName } from './view_names';

const ALL_VIEWS: readonly ViewName[] = [...VIEWS, 'compare'];
const FOLLOWING: readonly ViewName[] = ['overview', 'steps', 'timeline', 'communication', 'cluster', 'compare'];

/** Which view is in front, and the ways from one view or profile to another. */
export class Navigation {
  readonly wanted: Setting<ViewName | ''>;
  /** Further places of the finding that led here. */
  private readonly evidence: Setting<string | null>;

  constructor(
    page: Page,
    private readonly profiles: Profiles,
    private readonly settings: ProfilerSettings,
  ) {
    this.wanted = page.setting('view', codecs.choice<ViewName | ''>(ALL_VIEWS, ''));
    this.evidence = page.setting('evidence', codecs.text);
  }

  /** The views that this profile has something for. */
  readonly views = computed<readonly ViewName[]>(() => {
    const own = this.profiles.profile.value?.views ?? [];
    const several = (this.profiles.listing.value?.length ?? 0) > 1;
    return ALL_VIEWS.filter((view) => (view === 'compare' ? several && own.includes('operators') : own.includes(view)));
  });
  readonly view = computed<ViewName | null>(() => {
    const { value: views } = this.views;
    const wanted = this.wanted.value;
    return wanted !== '' && views.includes(wanted) ? wanted : (views[0] ?? null);
  });

  /**
   * Whether the view in front shows only the steps that were chosen; where the log has only sums, operators are of all.
   */
  readonly followsSteps = computed<boolean>(() => {
    const { value: view } = this.view;
    const isOfRuns = view === 'operators' || view === 'kernels';
    return (
      view === null ||
      (isOfRuns ? (this.profiles.profile.value?.counts?.['slices'] ?? 0) > 0 : FOLLOWING.includes(view))
    );
  });

  // What changes together changes at once: half of it would name something else.
  open(key: ProfileKey): void {
    const { opened, type, steps, zooms } = this.settings;
    batch(() => {
      this.profiles.wanted.set(key, 'push');
      opened.set([]);
      type.set(null);
      steps.set(null);
      zooms.set(new Map());
      this.forget();
    });
  }

  /** The timeline of a profile, at one of its steps. */
  openStep(key: ProfileKey, step: number): void {
    batch(() => {
      this.open(key);
      this.wanted.set('timeline', 'push');
      this.settings.steps.set({ first: step, last: step });
    });
  }

  /** The links of a profile. */
  openLinks(key: ProfileKey): void {
    batch(() => {
      this.open(key);
      this.wanted.set('communication', 'push');
      this.settings.communicationTable.set('links');
    });
  }

  /** Places on the timeline of one profile mean nothing on that of another. */
  forget(): void {
    const { slice, window, range, closed } = this.settings;
    slice.set(null);
    window.set(null);
    range.set(null);
    closed.set([]);
    this.evidence.set(null);
  }

  compareWith(base: ProfileKey | null): void {
    batch(() => {
      this.wanted.set(base ? 'compare' : '', 'push');
      this.profiles.wantedBase.set(base);
    });
  }

  /** What is compared changes places. */
  swap(): void {
    const { chosen, base, wanted, wantedBase } = this.profiles;
    const [own, other] = [chosen.peek(), base.peek()];
    if (!own || !other) return;
    batch(() => {
      wanted.set(other, 'push');
      wantedBase.set(own);
    });
  }

  /** To a view, with what advice or another view wants it to show. */
  go(view: string, parameters: Values = {}): void {
    batch(() => this.lead(view, parameters));
  }

  private lead(view: string, parameters: Values): void {
    const name = ALL_VIEWS.find((one) => one === view);
    if (!name) return;
    this.wanted.set(name, 'push');
    const text = (key: string): string | null =>
      parameters[key] === undefined || parameters[key] === null ? null : String(parameters[key]);
    if (name === 'operators') {
      const side = text('side');
      if (side === 'host' || side === 'device') this.settings.side.set(side);
      const by = text('by');
      if (GROUPINGS.some((one) => one === by)) this.settings.by.set(by as Grouping);
      this.settings.type.set(text('type'));
    }
    const table = name === 'operators' ? this.settings.operators : name === 'kernels' ? this.settings.kernels : null;
    if (table) {
      table.query.set(text('q') ?? '');
      if (text('sort') !== null) table.sort.set(text('order') === 'asc' ? `${text('sort')}` : `-${text('sort')}`);
    }
    if (text('steps') !== null) this.settings.steps.set(stepsCodec.parse(text('steps')));
  }

  /** The table of operators, with the details of one of them next to it. */
  openOperator(side: Side, by: Grouping, key: OperatorKey): void {
    batch(() => {
      this.wanted.set('operators', 'push');
      this.settings.side.set(side);
      this.settings.by.set(by);
      this.settings.type.set(null);
      this.settings.opened.set(OPERATOR_KEYS.map((name) => key[name] ?? ''));
    });
  }

  /** From a category to its operators. */
  openType(type: string): void {
    batch(() => {
      this.settings.type.set(type, 'push');
      this.settings.by.set('name');
      this.settings.opened.set([]);
      this.settings.operators.query.set('');
    });
  }

  leaveType(): void {
    batch(() => {
      this.settings.type.set(null, 'push');
      this.settings.by.set('type');
      this.settings.opened.set([]);
    });
  }

  /** Only this step counts, in every view; pressed again, all do. */
  chooseStep(number: number, extend: boolean, keep = false): void {
    const next = pressed(this.settings.steps.peek(), number, extend);
    this.settings.steps.set(next ?? (keep ? { first: number, last: number } : null), 'push');
  }

  openSlice(id: number): void {
    this.wanted.set('timeline', 'push');
    this.settings.slice.set(String(id));
  }
}

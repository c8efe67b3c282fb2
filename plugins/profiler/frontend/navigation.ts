import { batch, computed, effect } from '@preact/signals';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import type { Side } from './answers/operators';
import type { ProfileKey, Values } from './answers/profile';
import { same, type Profiles } from './profiles';
import { type Grouping, GROUPINGS, OPERATOR_KEYS, type OperatorKey, type ProfilerSettings } from './settings';
import { pressed, stepsCodec } from './address';
import type { Span } from './timeline/span';

/** Views that are tabs; the others are in a list after them. */
export const PAGES: readonly ViewName[] = [
  'overview',
  'timeline',
  'operators',
  'calls',
  'memory',
  'hangs',
  'every_step',
];

/** Names of the views, in the order of the tab. */
export const VIEWS = [
  'overview',
  'timeline',
  'operators',
  'calls',
  'memory',
  'hangs',
  'every_step',
  'advice',
  'kernels',
  'steps',
  'communication',
  'cluster',
  'pipeline',
  'flops',
  'strategy',
  'shapes',
] as const;

export type ViewName = (typeof VIEWS)[number] | 'compare';

const ALL_VIEWS: readonly ViewName[] = [...VIEWS, 'compare'];
const FOLLOWING: readonly ViewName[] = ['overview', 'steps', 'timeline', 'communication', 'cluster', 'compare'];

/** Which view is in front, and the ways from one view or profile to another. */
export class Navigation {
  readonly wanted: Setting<ViewName | ''>;
  /** Further places of the finding that led here. */
  private readonly evidence: Setting<string | null>;
  /** The profile to which a link of this tab leads now, with what it says of it. */
  private arrived: ProfileKey | null = null;

  constructor(
    page: Page,
    private readonly profiles: Profiles,
    private readonly settings: ProfilerSettings,
  ) {
    this.wanted = page.setting('view', codecs.choice<ViewName | ''>(ALL_VIEWS, ''));
    this.evidence = page.setting('evidence', codecs.text);
    page.until(this.followProfile());
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
    batch(() => {
      this.arrived = key;
      this.profiles.show(key);
      this.leave();
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

  /** What was opened in one profile means nothing in another, unless the address names both at once. */
  private followProfile(): () => void {
    const { opened, type, steps, zooms, slice, window, range, closed, measured } = this.settings;
    const places = [opened, type, steps, zooms, slice, window, range, closed, measured, this.evidence];
    let before: ProfileKey | null = null;
    let said = '';
    let isWaiting = false;
    const settle = (): void => {
      isWaiting = false;
      const { value: chosen } = this.profiles.chosen;
      const now = JSON.stringify(places.map(({ value }) => (value instanceof Map ? [...value] : value)));
      if (before && chosen && !same(chosen, before) && !same(chosen, this.arrived) && now === said) this.leave();
      [before, said, this.arrived] = [chosen ?? before, now, null];
    };
    return effect(() => {
      for (const part of [this.profiles.chosen, ...places]) void part.value;
      if (!isWaiting) queueMicrotask(settle); // an address changes one key after the other
      isWaiting = true;
    });
  }

  private leave(): void {
    const { opened, type, steps, zooms, measured } = this.settings;
    batch(() => {
      opened.set([]);
      type.set(null);
      steps.set(null);
      measured.set(0);
      zooms.set(new Map());
      this.forget();
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
    const isOfCalls = this.view.peek() === 'calls';
    batch(() => {
      if (isOfCalls) this.settings.callsCompared.set(base !== null);
      else this.wanted.set(base ? 'compare' : '', 'push');
      this.profiles.wantedBase.set(base);
    });
  }

  /** What is compared changes places. */
  swap(): void {
    const { chosen, base, wantedBase } = this.profiles;
    const [own, other] = [chosen.peek(), base.peek()];
    if (!own || !other) return;
    batch(() => {
      this.arrived = other;
      this.profiles.show(other);
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
    if (name === 'operators' || name === 'kernels') {
      const table = this.settings.tables(name === 'kernels' ? name : '');
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
      this.settings.tables('').query.set('');
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

  /** The timeline, from one time to another. */
  openSpan(span: Span): void {
    batch(() => {
      this.wanted.set('timeline', 'push');
      this.settings.slice.set(null);
      this.settings.window.set(span);
    });
  }

  openSlice(id: number): void {
    this.wanted.set('timeline', 'push');
    this.settings.slice.set(String(id));
  }
}

/** What the run panel chooses for every tab, as this tab's names of columns have it. */
import { computed, effect, untracked, type ReadonlySignal as Live } from '@preact/signals';
import type { Drawing, RunGroup } from '@insight-host/api';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import { isExpression } from '@insight-host/kit/lab';
import type { GroupStep } from '@insight-host/kit/runs';
import { OF_HOST } from './host_columns';

const OWN_COLORS = 'run'; // what `color` said in the last release of the colours of the runs

export class RunPanel {
  /** The text of the run list's filter; `runs.shown` are those that match it. */
  readonly filter: Setting<string>;
  private readonly drawing: Live<Drawing>;
  private readonly colorBy: Live<readonly string[]>;
  private readonly groupBy: Live<readonly string[]>;
  private readonly known: Live<readonly RunGroup[]>;

  constructor(private readonly page: Page) {
    const { runs } = page.ctx;
    this.filter = page.settled(runs.filter, 0);
    this.drawing = page.follow(runs.drawing);
    this.colorBy = page.follow(runs.colorBy);
    this.groupBy = page.follow(runs.groupBy);
    this.known = page.follow(runs.groups);
    this.takeOver();
  }

  /** Places of runs in the order of the run panel. */
  readonly places = computed(() => this.drawing.value.places);
  /** The filter, where it is one that the host evaluates. */
  readonly expression = computed(() => (isExpression(this.filter.value) ? this.filter.value : null));
  /** Whether colours of runs say something that the user chose. */
  readonly isColored = computed(() => this.colorBy.value.length > 0 || this.groupBy.value.length > 0);
  /** The tab's name of the one column that colours the runs; null without one, and for one that is not of the tab. */
  readonly colorColumn = computed(() => (this.colorBy.value.length === 1 ? this.nameOf(this.colorBy.value[0]) : null));
  /** Tab's names of columns that group the runs. */
  private readonly groupColumns = computed(() => this.groupBy.value.flatMap((key) => this.nameOf(key) ?? []));

  /** The group of each of these runs, by row; null without groups. They stand upside down where `downwards` says. */
  stepsOf(runs: readonly string[], downwards: readonly string[]): ((row: number) => readonly GroupStep[]) | null {
    const { value: groups } = this.known;
    if (this.groupBy.value.length === 0 || groups.length === 0) return null;
    const sign = downwards.includes(this.groupColumns.value[0] ?? '') ? -1 : 1;
    const steps = new Map<string, readonly GroupStep[]>();
    groups.forEach(({ key, title, runs: own }, at) => {
      const step = [{ id: key, title, rank: key === '' ? Infinity : sign * at }];
      for (const run of own) steps.set(run, step);
    });
    return (row) => steps.get(runs[row] ?? '') ?? [];
  }

  private keyOf(name: string): string {
    return OF_HOST[name] ?? `${this.page.ctx.name}/${name}`;
  }

  private nameOf(key: string | undefined): string | null {
    const own = `${this.page.ctx.name}/`;
    if (key?.startsWith(own)) return key.slice(own.length);
    return Object.keys(OF_HOST).find((name) => OF_HOST[name] === key) ?? null;
  }

  /** Keys of the last release: what an address has in them goes to the run panel, unless that says something else. */
  private takeOver(): void {
    const { colorBy, groupBy } = this.page.ctx.runs;
    const color = this.page.setting('color', codecs.name);
    const group = this.page.setting('group', codecs.name);
    const where = this.page.setting('where', codecs.text);
    this.page.until(
      effect(() => {
        const [ofColor, ofGroup, ofWhere] = [color.value, group.value, where.value.trim()];
        untracked(() => {
          if (ofColor !== null) {
            if (colorBy.value.length === 0 && ofColor !== OWN_COLORS) colorBy.set([this.keyOf(ofColor)]);
            color.set(null);
          }
          if (ofGroup !== null) {
            if (groupBy.value.length === 0) groupBy.set([this.keyOf(ofGroup)]);
            group.set(null);
          }
          if (ofWhere) {
            this.filter.set(this.withFilter(ofWhere));
            where.set('');
          }
        });
      }),
    );
  }

  /** The filter of the run list and another expression; one over names does not go with an expression. */
  private withFilter(where: string): string {
    const before = this.filter.value.trim();
    if (!before || before === where) return where;
    if (isExpression(before)) return `(${before}) and (${where})`;
    this.page.ctx.notify('info', this.page.t('filter.replaced', { before, after: where }));
    return where;
  }
}

import { computed, type ReadonlySignal as Live } from '@preact/signals';
import type { Run } from '@insight-host/api';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import type { Listed, Lists } from './source';

/** The embedding that is shown: of a run, under a name, at a step. */
export class Chosen {
  private readonly wantedGroup: Setting<string | null>;
  private readonly wantedStep: Setting<string>;

  constructor(
    private readonly page: Page,
    private readonly runs: Live<readonly Run[]>,
    private readonly lists: Lists,
  ) {
    page.linkedRun('run');
    this.wantedGroup = page.setting('name', codecs.name);
    this.wantedStep = page.setting('step', codecs.text);
  }

  /** The one that the run panel chooses. */
  readonly run = computed<Run | null>(() => this.page.oneOf(this.runs.value) ?? null);
  private readonly all = computed<readonly Listed[]>(
    () => this.lists.byRun.value.get(this.run.value?.name ?? '')?.embeddings ?? [],
  );
  readonly groups = computed<readonly string[]>(() => [...new Set(this.all.value.map(({ group }) => group))]);
  readonly group = computed<string | null>(
    () => this.groups.value.find((group) => group === this.wantedGroup.value) ?? this.groups.value[0] ?? null,
  );
  /** Those of the group, by step. */
  readonly steps = computed<readonly Listed[]>(() =>
    this.all.value
      .filter(({ group }) => group === this.group.value)
      .sort((one, other) => (one.step ?? 0) - (other.step ?? 0)),
  );
  /** The one at the step asked for, or the last. */
  readonly entry = computed<Listed | null>(
    () =>
      this.steps.value.find(({ step }) => step !== null && String(step) === this.wantedStep.value) ??
      this.steps.value.at(-1) ??
      null,
  );

  pickGroup(group: string): void {
    this.wantedGroup.set(group);
  }

  /** The last one is followed: it is not in the link. */
  pickStep(index: number): void {
    const entry = this.steps.value[index];
    const isLast = index === this.steps.value.length - 1;
    if (entry) this.wantedStep.set(isLast ? '' : String(entry.step ?? ''));
  }

  /** The next or the one before. */
  move(by: 1 | -1): void {
    const at = this.steps.value.findIndex((entry) => entry === this.entry.value);
    this.pickStep(Math.max(0, Math.min(this.steps.value.length - 1, at + by)));
  }
}

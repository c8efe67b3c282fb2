import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Page, Setting } from '@insight-host/kit';
import { RequestQueue } from '@insight-host/kit/lab';
import { Navigation } from './navigation';
import { Profiles } from './profiles';
import { profilerSettings } from './settings';
import { SteadyUnits } from './units';
import { stepsCodec } from './address';

export type ProfilerParts = ReturnType<typeof profilerParts>;

/** A view fills the tab below its toolbar: a column of fixed height that scrolls by itself. */
export interface ViewProps {
  readonly board: ProfilerParts;
}

/** What the profiler tab is made of. */
export function profilerParts(page: Page) {
  const settings = profilerSettings(page);
  const profiles = new Profiles(page);
  const { by, group, per, communicationTable: table, side, type, steps } = settings;
  const stepsQuery = computed<string | null>(() => stepsCodec.format(steps.value));
  const filters: Readonly<Record<string, Setting<string>>> = { by, group, per, table };
  return {
    page,
    queue: new RequestQueue(4),
    profiles,
    ...settings,
    stepsQuery,
    /** What the declarations of tables name, by the names of query parameters: filters, and what else they ask for. */
    filters,
    asks: { side: computed(() => side.value || null), type, steps: stepsQuery } as Readonly<
      Record<string, ReadonlySignal<string | null>>
    >,
    navigation: new Navigation(page, profiles, settings),
    units: new SteadyUnits(page, profiles),
    dialog: signal<'profile' | 'base' | 'notes' | null>(null),
  };
}

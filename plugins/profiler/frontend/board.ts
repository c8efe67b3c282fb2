import { computed, signal } from '@preact/signals';
import type { Page } from '@insight-host/kit';
import { RequestQueue } from '@insight-host/kit/lab';
import { Navigation } from './navigation';
import { Profiles } from './profiles';
import { profilerSettings } from './settings';
import { SteadyUnits } from './steady_units';
import { stepsCodec } from './steps';

export type ProfilerParts = ReturnType<typeof profilerParts>;

/** What the profiler tab is made of. */
export function profilerParts(page: Page) {
  const settings = profilerSettings(page);
  const profiles = new Profiles(page);
  return {
    page,
    queue: new RequestQueue(4),
    profiles,
    ...settings,
    stepsQuery: computed<string | null>(() => stepsCodec.format(settings.steps.value)),
    navigation: new Navigation(page, profiles, settings),
    units: new SteadyUnits(page, profiles),
    dialog: signal<'profile' | 'base' | 'notes' | null>(null),
  };
}

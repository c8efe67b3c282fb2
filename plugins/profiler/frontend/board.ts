import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { RunChoice } from '@insight-host/api';
import { timeText, type Page, type Setting } from '@insight-host/kit';
import { changed, RequestQueue } from '@insight-host/kit/lab';
import type { ProfileInfo } from './answers/profile';
import { Navigation } from './navigation';
import { keyOf, Profiles, same } from './profiles';
import { profilerSettings } from './settings';
import { SteadyUnits, timeText as stepText } from './units';
import { stepsCodec } from './address';
import { profileName, rankText, word } from './words';

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
  const device = computed(() => profiles.profile.value?.devices?.find(({ kind }) => kind !== 'cpu')?.name ?? 'cpu');
  const filters: Readonly<Record<string, Setting<string>>> = { by, group, per, table };
  return {
    page,
    queue: new RequestQueue(4),
    profiles,
    ...settings,
    stepsQuery,
    /** The ceilings that the user gave for the device of the current profile; null for none. */
    ceilingsQuery: computed<string | null>(() => settings.ceilings.value.get(device.value) ?? null),
    setCeilings(text: string): void {
      settings.ceilings.set(changed(settings.ceilings.peek(), device.peek(), text || null), 'push');
    },
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

/** What the run panel offers: runs with profiles, and the profiles of the run that is shown. */
export function offered(board: ProfilerParts): RunChoice {
  const { runs, own, chosen } = board.profiles;
  const titleOf = (profile: ProfileInfo): string =>
    [profileName(profile), rankText(board, profile.rank)].filter(Boolean).join(' · ');
  const titles = own.value.map(titleOf);
  const isUnique = new Set(titles).size === titles.length;
  const timeOf = ({ wall_time }: ProfileInfo): string => timeText(wall_time, board.page.locale.value);
  const stepOf = (profile: ProfileInfo): string => {
    const time = board.profiles.stepTimes.value.get(keyOf(profile));
    return time === undefined ? '' : ` · ${stepText(time, board.page.locale.value)}`;
  };
  return {
    among: runs.value.map(({ name }) => name),
    items: own.value.map((profile) => ({
      text: `${titleOf(profile)}${isUnique ? '' : ` · ${timeOf(profile)}`}${stepOf(profile)}`,
      hint: `${profile.profile}\n${word(board, 'source', profile.source)}`,
      isChosen: same(profile, chosen.value),
      choose: () => board.navigation.open(profile),
    })),
  };
}

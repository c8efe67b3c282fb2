import type { Codec, Run, TagInfo } from '@insight-host/api';
import { cardParts, codecs, type Page } from '@insight-host/kit';
import { RunLists } from '@insight-host/kit/lists';
import { Orbit } from '@insight-host/kit/scene';
import { computed } from '@preact/signals';
import { Chosen, Compared, Loads } from './chosen';
import { ContourLines } from './contour_lines';
import type { Intervals, Lists } from './landscape';
import { RAMP_NAMES, type RampName } from './ramps';
import { FIRST_CAMERA, LIMITS, planViewCodec } from './view';

export const FORMS = ['contour', 'topographic', 'surface'] as const;
export const MODES = ['analysis', 'comparison'] as const;
export const LAYOUTS = ['tiled', 'overlaid'] as const;
type Form = (typeof FORMS)[number];
export const LEVELS = [10, 80] as const;
export const WIDTHS = [1, 5] as const;
const SETTLE = 300; // ms without a change before the URL says it

const color: Codec<string> = {
  parse: (text) => (text && /^[\da-f]{6}$/i.test(text) ? `#${text.toLowerCase()}` : '#ff3b30'),
  format: (value) => (value === '#ff3b30' ? null : value.slice(1)),
};

const radiusCodec: Codec<number | null> = {
  parse: (text) => (text !== null && Number(text) > 0 ? Number(text) : null),
  format: (value) => (value === null ? null : String(value)),
};

/** The claimed files of lineage, from which a landscape's facts are read, are not landscapes. */
const isLandscape = ({ claims }: TagInfo): boolean => !claims.includes('file:*_lineage');

export type LandscapeParts = ReturnType<typeof landscapeParts>;

/** What the Landscape tab is made of: one landscape of a run, or the final ones of several. */
export function landscapeParts(page: Page) {
  const parts = cardParts(page, true, { shows: isLandscape });
  const mode = page.setting('mode', codecs.choice(MODES, 'analysis'));
  const loads = new Loads(page);
  const lists: Lists = new RunLists(page, async (wanted, signal) => {
    const found = await page.ctx.data.json<Intervals>('intervals', { run: wanted }, { signal });
    const listed = new Map(found.runs.map(({ run, landscapes }) => [run, landscapes]));
    return new Map(wanted.map((run) => [run, listed.get(run) ?? []]));
  });
  const has = (name: string): boolean =>
    (parts.tags.table.value?.tagsOf(name).length ?? 0) > 0 && lists.byRun.value.get(name)?.length !== 0;
  /** Those of them that match the filter, or are selected where several are compared. */
  const runs = computed<readonly Run[]>(() => page.runs.value.filter(({ name }) => has(name)));
  const contourLines = new ContourLines();
  page.until(() => contourLines.end());
  const relative = page.setting('relative', codecs.flag(false));
  const chosen = new Chosen(page, runs, lists, loads, relative);
  lists.follow(
    computed(() => {
      if (mode.value === 'comparison') return runs.value.map(({ name }) => name); // all that could be compared
      return chosen.run.value ? [chosen.run.value.name] : [];
    }),
  );
  return {
    ...parts,
    contourLines,
    lists,
    loads,
    runs,
    /** Names of all runs with landscapes. */
    having: computed(() => page.inPanelOrder(page.allRuns.value).flatMap(({ name }) => (has(name) ? name : []))),
    chosen,
    compared: new Compared(page, runs, lists, loads, relative),
    orbit: new Orbit(page, FIRST_CAMERA, LIMITS),
    /** Which part of their planes all landscapes seen from above show. */
    planView: page.setting('window', planViewCodec, SETTLE),
    mode,
    form: page.setting('form', codecs.choice(FORMS, 'contour')),
    layout: page.setting('layout', codecs.choice(LAYOUTS, 'tiled')),
    ramp: page.setting('colors', codecs.choice<RampName>(RAMP_NAMES, 'viridis')),
    levels: page.setting('lines', codecs.wholeNumber(...LEVELS, 20), SETTLE),
    log: page.setting('log', codecs.flag(false)),
    relative,
    /** The circle around the end whose rise is measured; null: half of what all landscapes have room for. */
    radius: page.setting('radius', radiusCodec, SETTLE),
    pathColor: page.setting('path', color, SETTLE),
    pathWidth: page.setting('width', codecs.wholeNumber(...WIDTHS, 2)),
    opacity: page.setting('opacity', codecs.number(0.2, 1, 1), SETTLE),
    /** Landscapes side by side show the same part of their planes. */
    sameAxes: page.setting('axes', codecs.flag(true)),
    screen: page.setting('screen', codecs.flag(false)),
    facts: page.setting('facts', codecs.flag(true)),
  };
}

export function turnForm({ form }: LandscapeParts): void {
  form.set(FORMS[(FORMS.indexOf(form.value) + 1) % FORMS.length] as Form);
}

/** Asks again for what could not be loaded. */
export function retry({ lists, loads }: LandscapeParts): void {
  loads.retry();
  lists.retry();
}

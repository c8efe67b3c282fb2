/** How runs look: colours that the user has picked, or by columns of the run table, and dashes. */
import { byName, codecs } from '@insight-host/kit';
import { computed, effect } from '@preact/signals';
import type { Codec, ColorScale, RunGroup } from '@insight-host/api';
import { cellOf, type ShownColumn } from '../columns/cells';
import type { Page } from '../state/page';
import type { RunLook, Runs } from '../state/runs';
import { DASHES, type LineLook } from '../state/colors';
import {
  areNumbers,
  faint,
  groupsOf,
  looksOf,
  looksOfGroups,
  NAME_PART,
  PALETTES,
  SCALES,
  shadeAt,
  type ValueGroup,
  withLooks,
} from './grouping';

const NO_DASH = DASHES[0] as readonly number[];
const STEPS = 32; // colours of the ramp in the legend
const SHADES = 256; // of a scale, among which the eye sees no steps
const LOG_FROM = 50; // the largest number by the smallest, above zero, from which a scale is logarithmic

const picks: Codec<ReadonlyMap<string, string>> = codecs.byTag(
  (text) => (/^[0-9a-f]{6}$/i.test(text) ? `#${text.toLowerCase()}` : null),
  (color) => color.slice(1),
);

export interface LegendValue extends ValueGroup, LineLook {}

/** What the colours say: one for each value, or a scale of numbers from `low` to `high`. */
export type Legend =
  | { readonly kind: 'values'; readonly values: readonly LegendValue[] }
  | (ColorScale & { readonly kind: 'scale' });

/** Whose runs are coloured: the page, or a card that is shown elsewhere. */
type ColoringScope = Pick<Page, 'url' | 'runs' | 'preferences' | 'columns'>;

interface Colored {
  readonly looks: ReadonlyMap<string, LineLook>;
  readonly legend: Legend | null;
}

export class Coloring {
  /** Columns of the run table, or `path`, the directory of the run; none: each run has a colour of its own. */
  readonly by;
  /** The same of dashes; `run`: each run has its own. */
  readonly dashBy;
  readonly palette;
  readonly scale;
  /** Colours that the user has picked, by run. */
  readonly picked;
  /** The same by value of what the runs are coloured by. */
  readonly pickedValues;

  /** Ends what follows the settings. */
  readonly end: () => void;

  constructor(private readonly page: ColoringScope) {
    const { url } = page;
    this.by = url.state('color', codecs.names);
    this.dashBy = url.state('dash', codecs.names);
    this.palette = url.state('palette', codecs.choice(PALETTES, 'wide'));
    this.scale = url.state('scale', codecs.choice(SCALES, 'viridis'));
    this.picked = url.state('colors', { ...picks, named: (map) => ({ runs: [...map.keys()] }) });
    this.pickedValues = url.state('shades', picks);
    const ends = [
      effect(() => void (page.runs.looks.value = this.looks.value)),
      effect(() => void (page.runs.groups.value = this.groups.value)),
    ];
    this.end = () => ends.forEach((end) => end());
  }

  /** Colours the runs by these columns from now on. Colours that were picked for other values go. */
  colorBy(keys: readonly string[]): void {
    this.by.set(keys);
    this.pickedValues.set(new Map());
  }

  /** A colour of a run, or of a value of the legend; null gives it back what it had before. */
  pick(name: string, color: string | null, of: 'runs' | 'values' = 'runs'): void {
    const setting = of === 'runs' ? this.picked : this.pickedValues;
    const next = new Map(setting.value);
    if (color === null) next.delete(name);
    else next.set(name, color);
    setting.set(next);
  }

  readonly legend = computed(() => this.colored.value?.legend ?? null);

  /** What tells runs apart: what they are coloured by, else what they are grouped by. */
  readonly shownBy = computed(() => (this.by.value.length > 0 ? this.by.value : this.page.runs.groupBy.value));

  private readonly colored = computed<Colored | null>(() => {
    const { value: by } = this.shownBy;
    const { value: names } = this.page.runs.names;
    const { value: mode } = this.page.preferences.mode;
    if (by.length === 0) {
      const { value: palette } = this.palette;
      return palette === 'wide' ? null : { looks: looksOf(names, palette, mode), legend: null };
    }
    const [key = ''] = by;
    const column = this.by.value.length === 1 ? this.page.columns.value?.columns.columnOf(key) : undefined;
    return (column && this.byNumber(column, names)) ?? this.byValue(by, names);
  });

  private readonly groups = computed<readonly RunGroup[]>(() => {
    const { groupBy, names } = this.page.runs;
    if (groupBy.value.length === 0 || !this.isKnown(groupBy.value)) return [];
    const { value: mode } = this.page.preferences.mode;
    const groups = this.groupsOf(groupBy.value, names.value);
    const own = looksOfGroups(groups, this.palette.value, this.scale.value, mode);
    const { value: looks } = this.looks;
    const lookOf = (run: string): LineLook | undefined => {
      const look = looks?.byName.get(run);
      return look?.color ? { color: look.color, dash: look.dash ?? NO_DASH } : undefined;
    };
    return withLooks(groups, own, lookOf, mode);
  });

  private groupsOf(by: readonly string[], names: readonly string[]): readonly ValueGroup[] {
    return groupsOf(by, names, this.page.columns.value?.columns);
  }

  /** Whether the values of these are there. */
  private isKnown(by: readonly string[]): boolean {
    const columns = this.page.columns.value?.columns;
    return by.every((key) => !key.includes('/') || key.startsWith(NAME_PART) || columns?.columnOf(key) !== undefined);
  }

  /** By a scale; null unless all values are numbers. */
  private byNumber(column: ShownColumn, names: readonly string[]): Colored | null {
    const { value: mode } = this.page.preferences.mode;
    const { value: scale } = this.scale;
    const cells = names.map((name) => cellOf(column, name)).filter((cell) => cell !== undefined);
    if (!areNumbers(cells)) return null;
    const finite = cells.map(Number).filter(Number.isFinite);
    const [low, high] = extent(finite);
    const isLog = low > 0 && high / low >= LOG_FROM;
    const along = isLog ? Math.log : (value: number): number => value;
    const placeOf = (value: number): number =>
      high > low ? (along(value) - along(low)) / (along(high) - along(low)) : 0.5;
    const shades = Array.from({ length: SHADES + 1 }, (_, shade) => shadeAt(shade / SHADES, scale, mode));
    const shadeOf = (value: number): string => shades[Math.round(SHADES * placeOf(value))] as string;
    const looks = new Map(
      names.map((name) => {
        const value = Number(cellOf(column, name) ?? NaN);
        return [name, { color: Number.isFinite(value) ? shadeOf(value) : faint(mode), dash: NO_DASH }] as const;
      }),
    );
    const text = (value: number): string =>
      Number.isFinite(value) ? (this.page.columns.value?.columns.text(column, value) ?? String(value)) : '–';
    const stops = Array.from({ length: STEPS }, (_, step) => shadeAt(step / (STEPS - 1), scale, mode));
    const { title } = column;
    return { looks, legend: { kind: 'scale', title, low: text(low), high: text(high), isLog, stops } };
  }

  private byValue(by: readonly string[], names: readonly string[]): Colored {
    const { value: mode } = this.page.preferences.mode;
    const { value: picked } = this.pickedValues;
    const groups = this.groupsOf(by, names);
    const given = looksOfGroups(groups, this.palette.value, this.scale.value, mode);
    const values = groups.map((group) => {
      const { color, dash } = given.get(group.key) ?? { color: faint(mode), dash: NO_DASH };
      return { ...group, color: picked.get(group.key) ?? color, dash };
    });
    const looks = new Map(
      values.flatMap(({ color, dash, runs }) => runs.map((run) => [run, { color, dash }] as const)),
    );
    return { looks, legend: { kind: 'values', values } };
  }

  private readonly dashes = computed<ReadonlyMap<string, readonly number[]>>(() => {
    const { value: by } = this.dashBy;
    const { value: names } = this.page.runs.names;
    if (by.length === 0) return new Map();
    const dashAt = (place: number): readonly number[] => DASHES[place % DASHES.length] as readonly number[];
    if (by.includes('run')) return new Map([...names].sort(byName).map((name, at) => [name, dashAt(at)]));
    const groups = this.groupsOf(by, names);
    return new Map(groups.flatMap(({ runs }, at) => runs.map((run) => [run, dashAt(at)] as const)));
  });

  private readonly looks = computed<Runs['looks']['value']>(() => {
    const { value: picked } = this.picked;
    const [colored, dashes] = [this.colored.value, this.dashes.value];
    if (!colored && picked.size === 0 && dashes.size === 0) return null;
    const look = (name: string): RunLook => ({
      color: picked.get(name) ?? colored?.looks.get(name)?.color,
      dash: dashes.get(name) ?? colored?.looks.get(name)?.dash,
    });
    const { value: names } = this.page.runs.names;
    const scale = colored?.legend?.kind === 'scale' ? colored.legend : null;
    return { byName: new Map(names.map((name) => [name, look(name)])), scale };
  });
}

function extent(values: readonly number[]): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

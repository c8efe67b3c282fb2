/** How runs look: colours that the user has picked, or by columns of the run table, and dashes. */
import { byName, codecs } from '@insight-host/kit';
import { computed, effect } from '@preact/signals';
import type { Cell, Codec, Run } from '@insight-host/api';
import { cellOf } from '../columns/cells';
import type { ShownColumn } from '../columns/cells';
import type { Page } from '../state/page';
import type { RunLook } from '../state/runs';
import { colorsOf, DASHES, faint, PALETTES, SCALES, shadeAt } from './palettes';

const STEPS = 12; // colours of the ramp in the legend
const SHADES = 256; // of a scale, among which the eye sees no steps
const LOG_FROM = 50; // the largest number by the smallest, above zero, from which a scale is logarithmic

const picks: Codec<ReadonlyMap<string, string>> = codecs.byTag(
  (text) => (/^[0-9a-f]{6}$/i.test(text) ? `#${text.toLowerCase()}` : null),
  (color) => color.slice(1),
);

/** Runs with the same value. */
interface Group {
  /** The value; "" if the runs have none. */
  readonly key: string;
  readonly title: string;
  readonly runs: readonly string[];
}

export interface LegendValue extends Group {
  readonly color: string;
}

/** What the colours say: one for each value, or a scale of numbers from `low` to `high`. */
export type Legend =
  | { readonly kind: 'values'; readonly values: readonly LegendValue[] }
  | {
      readonly kind: 'scale';
      readonly low: string;
      readonly high: string;
      readonly isLog: boolean;
      readonly stops: readonly string[];
    };

/** Whose runs are coloured: the page, or a card that is shown elsewhere. */
export type ColoringScope = Pick<Page, 'url' | 'runs' | 'preferences' | 'columns'>;

interface Colored {
  readonly colors: ReadonlyMap<string, string>;
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
    this.end = effect(() => void (page.runs.looks.value = this.looks.value));
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

  private readonly colored = computed<Colored | null>(() => {
    const { value: by } = this.by;
    const { value: names } = this.page.runs.names;
    const { value: mode } = this.page.preferences.mode;
    if (by.length === 0) {
      const { value: palette } = this.palette;
      return palette === 'wide' ? null : { colors: colorsOf(names, palette, mode), legend: null };
    }
    const [key = ''] = by;
    const column = by.length === 1 ? this.columnOf(key) : undefined;
    return (column && this.byNumber(column, names)) ?? this.byValue(by, names);
  });

  /** By a scale; null unless all values are numbers. */
  private byNumber(column: ShownColumn, names: readonly string[]): Colored | null {
    const { value: mode } = this.page.preferences.mode;
    const { value: scale } = this.scale;
    const cells = names.map((name) => cellOf(column, name)).filter((cell) => cell !== undefined);
    if (cells.length === 0 || !cells.every(isNumber)) return null;
    const finite = cells.map(Number).filter(Number.isFinite);
    const [low, high] = extent(finite);
    const isLog = low > 0 && high / low >= LOG_FROM;
    const along = isLog ? Math.log : (value: number): number => value;
    const placeOf = (value: number): number =>
      high > low ? (along(value) - along(low)) / (along(high) - along(low)) : 0.5;
    const shades = Array.from({ length: SHADES + 1 }, (_, shade) => shadeAt(shade / SHADES, scale, mode));
    const shadeOf = (value: number): string => shades[Math.round(SHADES * placeOf(value))] as string;
    const colors = new Map(
      names.map((name) => {
        const value = Number(cellOf(column, name) ?? NaN);
        return [name, Number.isFinite(value) ? shadeOf(value) : faint(mode)] as const;
      }),
    );
    const text = (value: number): string =>
      Number.isFinite(value) ? (this.page.columns.value?.columns.text(column, value) ?? String(value)) : '–';
    const stops = Array.from({ length: STEPS }, (_, step) => shadeAt(step / (STEPS - 1), scale, mode));
    return { colors, legend: { kind: 'scale', low: text(low), high: text(high), isLog, stops } };
  }

  private byValue(by: readonly string[], names: readonly string[]): Colored {
    const { value: mode } = this.page.preferences.mode;
    const { value: picked } = this.pickedValues;
    const groups = this.groupsOf(by, names);
    const keys = groups.map(({ key }) => key).filter((key) => key !== '');
    const given = colorsOf(keys, this.palette.value, mode);
    const values = groups.map((group) => ({
      ...group,
      color: picked.get(group.key) ?? given.get(group.key) ?? faint(mode),
    }));
    const colors = new Map(values.flatMap(({ color, runs }) => runs.map((run) => [run, color] as const)));
    return { colors, legend: { kind: 'values', values } };
  }

  /** Runs with the same value, sorted by its title. */
  private groupsOf(by: readonly string[], names: readonly string[]): readonly Group[] {
    const groups = new Map<string, Group & { readonly runs: string[] }>();
    const columns = by.map((key) => this.columnOf(key));
    for (const name of names) {
      const parts = by.map((key, at) => (key === 'path' ? directoryOf(name) : this.valueOf(columns[at], name)));
      const key = parts.some((part) => part !== null) ? parts.map((part) => part?.key ?? '').join('; ') : '';
      const known = groups.get(key);
      if (known) known.runs.push(name);
      else groups.set(key, { key, title: parts.map((part) => part?.title ?? '–').join(' · '), runs: [name] });
    }
    return [...groups.values()].sort((a, b) => byName(a.title, b.title));
  }

  private valueOf(
    column: ShownColumn | undefined,
    run: string,
  ): { readonly key: string; readonly title: string } | null {
    const value = column && cellOf(column, run);
    if (!column || value === undefined) return null;
    return { key: String(value), title: this.page.columns.value?.columns.textOf(column, run, value) ?? '' };
  }

  private columnOf(key: string): ShownColumn | undefined {
    return this.page.columns.value?.columns.columnOf(key);
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

  private readonly looks = computed<ReadonlyMap<string, RunLook> | null>(() => {
    const { value: picked } = this.picked;
    const [colored, dashes] = [this.colored.value, this.dashes.value];
    if (!colored && picked.size === 0 && dashes.size === 0) return null;
    const look = (name: string): RunLook => ({
      color: picked.get(name) ?? colored?.colors.get(name),
      dash: dashes.get(name),
    });
    return new Map(this.page.runs.names.value.map((name) => [name, look(name)]));
  });
}

/** Whether a cell of a column of numbers is one; those that are not finite come as texts. */
function isNumber(cell: Cell): boolean {
  return typeof cell === 'number' || (typeof cell === 'string' && /^(NaN|[+-]?Inf(inity)?)$/.test(cell));
}

function extent(values: readonly number[]): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

function directoryOf(run: Run['name']): { readonly key: string; readonly title: string } {
  const directory = run.split('/').slice(0, -1).join('/') || '.';
  return { key: directory, title: directory };
}

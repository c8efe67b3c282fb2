/** How the figure of a paper looks, and the chart in that look. */
import { LEGEND_PLACES, type LegendPlace, type Palette, type Size } from '@insight-host/kit/draw';
import type { Line, LineChartProps } from '@insight-host/kit/lines';

export const FAMILIES = ['sans', 'serif', 'mono'] as const;
export type FontFamily = (typeof FAMILIES)[number];
export const PALETTES = ['screen', 'distinct', 'gray'] as const;
type PaletteName = (typeof PALETTES)[number];
const UNITS = { cm: 72 / 2.54, in: 72 } as const; // points
export type Unit = keyof typeof UNITS;

/** Lengths of the sheet are in `unit`, those of fonts and lines in points. */
export interface FigureStyle {
  readonly width: number;
  readonly height: number;
  readonly unit: Unit;
  readonly family: FontFamily;
  readonly fontSize: number;
  readonly lineWidth: number;
  readonly legend: LegendPlace;
  readonly palette: PaletteName;
}

/** A column of a paper in two columns. */
export const DEFAULT: FigureStyle = {
  width: 8.5,
  height: 6,
  unit: 'cm',
  family: 'sans',
  fontSize: 8,
  lineWidth: 1,
  legend: 'below',
  palette: 'distinct',
};

/** Smallest and largest number of each field. */
export function rangeOf(field: 'width' | 'height' | 'fontSize' | 'lineWidth', unit: Unit): readonly [number, number] {
  if (field === 'fontSize') return [4, 36];
  if (field === 'lineWidth') return [0.1, 10];
  return unit === 'cm' ? [3, 60] : [1.2, 24];
}

/** What was remembered, with a default for each field that is not valid. */
export function styleOf(remembered: Partial<Record<keyof FigureStyle, unknown>>): FigureStyle {
  const oneOf = <T extends string>(value: unknown, choices: readonly T[], otherwise: T): T =>
    choices.find((choice) => choice === value) ?? otherwise;
  const unit = oneOf(remembered.unit, ['cm', 'in'], DEFAULT.unit);
  const size = (field: 'width' | 'height' | 'fontSize' | 'lineWidth'): number => {
    const value = remembered[field];
    const [least, most] = rangeOf(field, unit);
    const isLength = field === 'width' || field === 'height';
    const otherwise = isLength && unit === 'in' ? converted(DEFAULT[field], 'cm', 'in') : DEFAULT[field];
    return typeof value === 'number' && value >= least && value <= most ? value : otherwise;
  };
  return {
    width: size('width'),
    height: size('height'),
    unit,
    family: oneOf(remembered.family, FAMILIES, DEFAULT.family),
    fontSize: size('fontSize'),
    lineWidth: size('lineWidth'),
    legend: oneOf(remembered.legend, LEGEND_PLACES, DEFAULT.legend),
    palette: oneOf(remembered.palette, PALETTES, DEFAULT.palette),
  };
}

/** A length in another unit, with two decimals. */
export function converted(length: number, from: Unit, to: Unit): number {
  return Math.round((length * UNITS[from] * 100) / UNITS[to]) / 100;
}

/** Width and height in points. */
export function paperOf({ width, height, unit }: FigureStyle): readonly [number, number] {
  return [width * UNITS[unit], height * UNITS[unit]];
}

const LETTERS = 11; // pixels of the letters along the axes of charts

/** Points of a pixel of the chart: everything but lines grows with the font. */
export function scaleOf({ fontSize }: FigureStyle): number {
  return fontSize / LETTERS;
}

/** The chart's size in pixels; `ratio`: device pixels for each of these. */
export function sizeOf(style: FigureStyle, ratio: number): Size {
  const [width, height] = paperOf(style).map((points) => points / scaleOf(style)) as [number, number];
  const sheet = { lineWidth: style.lineWidth / scaleOf(style), legend: style.legend };
  return { width, height, ratio, labelled: true, sheet };
}

/** Black on white. */
export const PAPER: Palette = {
  text: '#000000',
  faint: '#000000',
  grid: '#e3e3e3',
  axis: '#000000',
  surface: '#ffffff',
  accent: '#000000',
  danger: '#d1242f',
};

// Okabe and Ito, https://jfly.uni-koeln.de/color/; without yellow, which is faint on white
const DISTINCT = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];
const GRAYS = ['#000000', '#6e6e6e', '#a0a0a0'];
const DASHES: readonly (readonly number[])[] = [[], [6, 2.5], [1.5, 2], [6, 2, 1.5, 2], [10, 3], [3, 2, 1, 2, 1, 2]];

/** Colour and dashes of the line in a place: as many lines as possible differ, and in gray the first ones in both. */
function lookOf(palette: PaletteName, place: number): { color: string; dash: readonly number[] } {
  const [colors, round] = palette === 'gray' ? [GRAYS, DASHES.length] : [DISTINCT, DISTINCT.length];
  const turn = Math.floor(place / round);
  const dash = palette === 'gray' ? place + turn : turn;
  return { color: colors[place % colors.length] as string, dash: DASHES[dash % DASHES.length] as readonly number[] };
}

export interface FigureTexts {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly yRight: string;
}

/** The chart with the texts and colours of a figure. A raw line has the colour of the line that it lies behind. */
export function restyled(props: LineChartProps, style: FigureStyle, texts: FigureTexts): LineChartProps {
  const mains = props.lines.filter((line) => line.role !== 'raw');
  const places = new Map(mains.map((line, place) => [line.id, place]));
  const restyledLine = (line: Line): Line => {
    const { dash: own, ...rest } = line;
    if (style.palette === 'screen') return { ...rest, ...(own ? { dash: own } : {}) };
    const { color, dash } = lookOf(style.palette, places.get(line.id) ?? 0);
    return { ...rest, color, ...(dash.length > 0 && line.role !== 'raw' ? { dash } : {}) };
  };
  const gray = (color: string): string => (style.palette === 'gray' ? '#6e6e6e' : color);
  const { scale, ...rest } = props;
  return {
    ...rest,
    ...(scale && style.palette === 'screen' ? { scale } : {}),
    lines: props.lines.map(restyledLine),
    ...(props.marks ? { marks: props.marks.map((mark) => ({ ...mark, color: gray(mark.color) })) } : {}),
    title: texts.title,
    xLabel: texts.x,
    yLabel: texts.y,
    ...(props.yRightLabel === undefined ? {} : { yRightLabel: texts.yRight }),
  };
}

/** The layout of one chart: what is computed before it is painted. */
import type { Area, LegendItem, Scale, Size, Tick } from '@insight-host/kit/draw';
import type { Line, LineChartProps } from './props';
import type { Trace } from './trace';
import type { Locale } from '@insight-host/api';

export interface Window {
  readonly x: readonly [number, number] | null;
  readonly y: readonly [number, number] | null;
}

export interface Entry {
  readonly line: Line;
  readonly trace: Trace;
  readonly band: { readonly low: Trace; readonly high: Trace } | null;
  readonly scale: Scale;
}

export interface Figure {
  readonly props: LineChartProps;
  readonly size: Size;
  readonly plot: Area;
  readonly legend: readonly LegendItem<Line>[];
  readonly x: Scale;
  readonly y: Scale;
  readonly yRight: Scale | null;
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly yRightTicks: readonly Tick[];
  readonly entries: readonly Entry[];
  /** Ends of the y axes that outliers lie beyond. */
  readonly clipped: readonly number[];
  readonly leftOut: number;
}

const WORDS = {
  en: (count: number, isLeast: boolean) =>
    `${isLeast ? 'at least ' : ''}${count.toLocaleString('en')} ${count === 1 ? 'value' : 'values'} ≤ 0 not shown`,
  'zh-CN': (count: number, isLeast: boolean) =>
    `${isLeast ? '至少' : ''}有 ${count.toLocaleString('zh-CN')} 个 ≤ 0 的值未显示`,
} as const;

/** What a logarithmic axis leaves out, in words; of lines that lack points only a lower limit is known. */
export function leftOutText({ props, leftOut }: LeftOut): string {
  const isLeast = props.lines.some(({ decimated }) => decimated);
  return (WORDS[props.locale] ?? WORDS.en)(leftOut, isLeast);
}

const MORE = {
  en: (count: number) => `and ${count.toLocaleString('en')} more ${count === 1 ? 'line' : 'lines'}`,
  'zh-CN': (count: number) => `另有 ${count.toLocaleString('zh-CN')} 条线`,
} as const;

/** How many lines a legend has no room for, in words. */
export const moreText = (count: number, locale: Locale): string => (MORE[locale] ?? MORE.en)(count);

interface LeftOut {
  readonly props: { readonly locale: Locale; readonly lines: readonly { readonly decimated?: boolean }[] };
  readonly leftOut: number;
}

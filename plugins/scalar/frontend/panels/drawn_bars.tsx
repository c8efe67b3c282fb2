/** Bars of the values of runs, the largest first. */
import { valueText } from '@insight-host/kit';
import { fittingTicks, linearTicks, makeScale, namesApart, textWidth, type Scale } from '@insight-host/kit/draw';
import { useSize } from '@insight-host/kit/lab';
import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { ScalarParts } from '../board';
import { withErrorText } from '../card/bounds';
import type { SingleValue } from '../card/lines';
import type { Values } from './metrics';
import { ANYWHERE, FONT } from './plot';

const ROW = 20; // pixels
export const MOST = 2000; // bars
const MOST_OF = 0.4; // share of the width that names may take
const LETTER = 7; // pixels
const NUMBER = 84; // pixels to the right of a bar, for its value
const BETWEEN = 20;

interface Bar extends SingleValue {
  readonly run: string;
}

const NO_ENDS = [NaN, NaN] as const;

/** Runs with a finite value, the largest first. */
export const barsOf = (values: Values): readonly Bar[] =>
  largestFirst([...values].flatMap(([run, value]) => (typeof value === 'number' ? [{ run, value }] : [])));

const largestFirst = (bars: readonly Bar[]): readonly Bar[] =>
  bars.filter(({ value }) => Number.isFinite(value)).sort((a, b) => b.value - a.value);

/** An error bar across a bar, as a path. */
function whisker(scale: Scale, [low, high]: readonly [number, number], y: number): string {
  const [from, to] = [scale.toPixel(low), scale.toPixel(high)];
  return `M${from} ${y}H${to}M${from} ${y - 3}v6M${to} ${y - 3}v6`;
}

interface DrawnBarsProps {
  readonly board: ScalarParts;
  readonly bars: readonly Bar[];
  readonly title: string;
  readonly host: { readonly current: HTMLElement | null };
  readonly picture?: { current: SVGSVGElement | null };
}

export function DrawnBars({ board, bars, title, host, picture }: DrawnBarsProps): JSX.Element {
  const { page } = board;
  const size = useSize(host);
  const width = useComputed(() => Math.max(160, size.value.width)).value;
  const theme = page.theme.value;
  const shown = bars.slice(0, MOST);
  const names = shown.map(({ run }) => page.nameOf(run));
  const longest = Math.max(4, ...names.map(({ length }) => length));
  const left = Math.round(Math.min(width * MOST_OF, longest * LETTER + 20));
  const short = namesApart(names, left - 12, FONT.size, textWidth);
  const values = shown.flatMap(({ value, ends = [] }) => [value, ...ends]);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const scale = makeScale([low, high === low ? 1 : high], [left, width - NUMBER]);
  const height = shown.length * ROW + BETWEEN;
  const [text, muted, line] = [theme.token('--text'), theme.token('--muted'), theme.token('--border')];
  const zero = scale.toPixel(0);
  return (
    <svg
      {...(picture ? { ref: picture } : {})}
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={page.t('panel.bars.label', { metric: title, count: bars.length })}
      font-family={FONT.family}
      font-size={FONT.size}
    >
      {fittingTicks(scale, ANYWHERE, 4, (count) => linearTicks(scale.domain, count)).map(({ value, label }) => (
        <g key={value}>
          <line x1={scale.toPixel(value)} x2={scale.toPixel(value)} y1={BETWEEN - 4} y2={height} stroke={line} />
          <text x={scale.toPixel(value)} y={12} text-anchor="middle" fill={muted}>
            {label}
          </text>
        </g>
      ))}
      {shown.map(({ run, value, ends }, at) => {
        const [end, top] = [scale.toPixel(value), BETWEEN + at * ROW];
        return (
          <g key={run} data-run-bar={run} data-hover-run={run}>
            <title>{`${names[at]}: ${withErrorText(valueText(value), value, ends ?? NO_ENDS)}`}</title>
            <text x={left - 6} y={top + 14} text-anchor="end" fill={text}>
              {short[at]}
            </text>
            <rect
              x={Math.min(zero, end)}
              y={top + 3}
              width={Math.max(1, Math.abs(end - zero))}
              height={ROW - 6}
              fill={page.colorOf(run)}
            />
            {ends && <path d={whisker(scale, ends, top + ROW / 2)} stroke={text} fill="none" />}
            <text x={Math.max(zero, end, ends ? scale.toPixel(ends[1]) : 0) + 5} y={top + 14} fill={text}>
              {valueText(value)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

interface SingleValuesProps {
  readonly board: ScalarParts;
  readonly tag: string;
  readonly values: ReadonlyMap<string, SingleValue>;
}

/** What a card shows whose runs have one value each: a bar for each of them. */
export function SingleValues({ board, tag, values }: SingleValuesProps): JSX.Element {
  const bars = useMemo(() => largestFirst([...values].map(([run, one]) => ({ run, ...one }))), [values]);
  const host = useRef<HTMLDivElement>(null);
  const title = board.page.titleOf(tag);
  return (
    <div class="bars" ref={host} tabIndex={0} role="group" aria-label={title}>
      <DrawnBars board={board} bars={bars} title={title} host={host} />
    </div>
  );
}

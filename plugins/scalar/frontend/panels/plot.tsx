/** A plot of values of runs, as SVG: its frame, axes, and what is drawn in it. */
import {
  fittingTicks,
  linearTicks,
  logTicks,
  makeScale,
  namesApart,
  type Scale,
  type Tick,
} from '@insight-host/kit/draw';
import type { Theme } from '@insight-host/api';
import type { ComponentChildren, JSX, Ref } from 'preact';

const MARGIN = { left: 62, right: 22, top: 8, bottom: 40 } as const;
const EACH = { x: 70, y: 40 } as const; // pixels of an axis for one tick
export const ANYWHERE = [-Infinity, Infinity] as const; // texts of an axis have no edges
const NAME = 24; // pixels of the name of the upward axis, and around its texts
const BETWEEN = 8; // pixels between two texts
const LEAST = 24; // pixels of a text
const PADDING = 0.05; // of the range of values, next to them

export interface Axis {
  readonly scale: Scale;
  readonly ticks: readonly Tick[];
  readonly label: string;
}

/** An axis over these values; texts have places of their own, by name. Values without a place on it are NaN. */
export function axisOf(
  values: readonly number[],
  {
    range,
    log,
    label,
    names,
  }: {
    readonly range: readonly [number, number];
    readonly log: boolean;
    readonly label: string;
    readonly names?: readonly string[];
  },
): Axis {
  const length = Math.abs(range[1] - range[0]);
  const isUpwards = range[0] > range[1]; // values of y grow upwards, its pixels downwards
  const most = Math.max(2, Math.floor(length / (isUpwards ? EACH.y : EACH.x)));
  const made = (scale: Scale, make: (count: number) => Tick[]): Axis => {
    return { scale, ticks: isUpwards ? make(most) : fittingTicks(scale, ANYWHERE, most, make), label };
  };
  if (names) {
    return made(makeScale([-0.5, names.length - 0.5], range), (count) => {
      const every = Math.max(1, Math.ceil(names.length / count));
      const room = isUpwards ? MARGIN.left - NAME : (every * length) / names.length - BETWEEN;
      const short = namesApart(names, Math.max(LEAST, room));
      return short.map((name, value) => ({ value, label: value % every === 0 ? name : '' }));
    });
  }
  const shown = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  const [low, high] = padded(Math.min(...shown), Math.max(...shown), log);
  const ticks = log ? logTicks : linearTicks;
  return made(makeScale([low, high], range, log), (count) => ticks([low, high], count));
}

function padded(low: number, high: number, log: boolean): readonly [number, number] {
  if (!(low <= high)) return log ? [1, 10] : [0, 1];
  if (log) {
    const factor = low === high ? 2 : 10 ** (PADDING * (Math.log10(high) - Math.log10(low))); // high / low may overflow
    return [Math.max(Number.MIN_VALUE, low / factor), Math.min(Number.MAX_VALUE, high * factor)];
  }
  const room = (high - low) * PADDING || Math.abs(low) * 0.5 || 1;
  return [low - room, high + room];
}

const MINOR = { 'stroke-opacity': 0.4 } as const;

export const FONT = { size: 11, family: 'Inter, system-ui, sans-serif' } as const;
interface PlotProps {
  readonly element?: Ref<SVGSVGElement>;
  readonly width: number;
  readonly height: number;
  readonly x: Axis;
  readonly y: Axis;
  readonly theme: Theme;
  /** Of the whole picture, for screen readers. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Colours are those of now, not custom properties, so that files show them too. */
export function Plot({
  element = null,
  width,
  height,
  x,
  y,
  theme,
  label,
  children,
  ...more
}: PlotProps & Omit<JSX.IntrinsicElements['svg'], keyof PlotProps>): JSX.Element {
  const [text, line, border] = [theme.token('--muted'), theme.token('--border'), theme.token('--border-strong')];
  const [left, right, top, bottom] = [MARGIN.left, width - MARGIN.right, MARGIN.top, height - MARGIN.bottom];
  return (
    <svg
      ref={element}
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      font-family={FONT.family}
      font-size={FONT.size}
      {...more}
    >
      {y.ticks.map(({ value, label: name, minor }) => {
        const at = y.scale.toPixel(value);
        return (
          <g key={`y${value}`}>
            <line x1={left} x2={right} y1={at} y2={at} stroke={line} {...(minor ? MINOR : {})} />
            <text x={left - 6} y={at + 4} text-anchor="end" fill={text}>
              {name}
            </text>
          </g>
        );
      })}
      {x.ticks.map(({ value, label: name, minor }) => {
        const at = x.scale.toPixel(value);
        return (
          <g key={`x${value}`}>
            <line x1={at} x2={at} y1={top} y2={bottom} stroke={line} {...(minor ? MINOR : {})} />
            <text x={at} y={bottom + 14} text-anchor="middle" fill={text}>
              {name}
            </text>
          </g>
        );
      })}
      <rect
        x={left}
        y={top}
        width={Math.max(0, right - left)}
        height={Math.max(0, bottom - top)}
        fill="none"
        stroke={border}
      />
      <text x={(left + right) / 2} y={height - 8} text-anchor="middle" fill={text}>
        {x.label}
      </text>
      <text transform={`translate(12 ${(top + bottom) / 2}) rotate(-90)`} text-anchor="middle" fill={text}>
        {y.label}
      </text>
      {children}
    </svg>
  );
}

/** Left and right, bottom and top of the plot, in pixels. */
export function rangesOf(
  width: number,
  height: number,
): { readonly x: readonly [number, number]; readonly y: readonly [number, number] } {
  return { x: [MARGIN.left, width - MARGIN.right], y: [height - MARGIN.bottom, MARGIN.top] };
}

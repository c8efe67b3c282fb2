import { useSignal } from '@preact/signals';
import { fitBitmap, NO_PIXELS, TableButton, watchPixels, type PixelSize } from '@insight-host/kit';
import { useSize } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Column } from '@insight-host/kit/runs';
import type { Axis } from '../axes';
import type { LineageParts } from '../board';
import { scatterTable } from '../chart_tables';
import { RowTip } from '../row_tip';

const HEIGHT = 260;
const USUAL_WIDTH = 320; // until the page has been laid out
const EDGE = { left: 58, right: 12, top: 10, bottom: 40 };
const REACH = 12; // pixels from a point to the pointer
const LETTERS = 9;

interface ScatterProps {
  readonly board: LineageParts;
  readonly x: Axis;
  readonly y: Axis | null;
  readonly parameters: readonly Column[];
  /** For tests. */
  readonly name?: string;
  /** What is drawn over the points. */
  readonly over?: (places: Places) => JSX.Element | null;
}

/** Pixels of the plot for places from 0 to 1. */
export interface Places {
  x(place: number): number;
  y(place: number): number;
}

/** Runs that are shown as points: one column against another. */
export function Scatter({ board, x, y, parameters, name = 'scatter', over }: ScatterProps): JSX.Element | null {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSize(host).value.width || USUAL_WIDTH;
  const pixels = useSignal(NO_PIXELS);
  const tip = useSignal<{ readonly x: number; readonly y: number } | null>(null);
  const { value: rows } = board.rows.shown;
  const { value: coloring } = board.coloring;
  const points = useMemo(() => (y ? pointsOf(x, y, rows, width) : null), [x, y, rows, width]);
  const { value: hovered } = board.hovered;
  useEffect(
    () => (canvas.current ? watchPixels(canvas.current, (found) => (pixels.value = found)) : undefined),
    [points === null],
  );
  useEffect(() => {
    if (canvas.current && points) draw(canvas.current, points, coloring.palette, coloring.codes, pixels.value, hovered);
  }, [points, coloring, hovered, pixels.value]);
  if (!y || !points) return null;
  const { t: say } = board.page;
  const title = say('scatter.title', { x: x.column.title, y: y.column.title });
  const short = (text: string): string =>
    [...text].length > LETTERS ? `${[...text].slice(0, LETTERS - 1).join('')}…` : text;
  const right = width - EDGE.right;
  const xTicks = spread(x.ticks, (right - EDGE.left) / 62);
  const near = (event: MouseEvent): number | null => {
    const box = canvas.current?.getBoundingClientRect();
    return box ? nearest(points, event.clientX - box.left, event.clientY - box.top) : null;
  };
  return (
    <div class="scatter" ref={host} data-testid={name} data-points={points.rows.length}>
      <h4>
        {title}
        <TableButton
          page={board.page}
          name={`${y.column.name} ${x.column.name}`}
          title={title}
          data={() => scatterTable(board, x, y, points.rows)}
          load={() => import('@insight-host/kit/table')}
        />
      </h4>
      <div class="plot" style={{ height: `${HEIGHT}px` }}>
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {spread(y.ticks, 7).map(({ place, text }) => (
            <g key={text} transform={`translate(0,${yAt(place)})`}>
              <line class="grid" x1={EDGE.left} x2={right} />
              <text x={EDGE.left - 6} dy="0.32em" text-anchor="end">
                {short(text)}
              </text>
            </g>
          ))}
          {xTicks.map(({ place, text }) => (
            <g key={text} transform={`translate(${EDGE.left + place * (right - EDGE.left)},0)`}>
              <line class="grid" y1={EDGE.top} y2={HEIGHT - EDGE.bottom} />
              <text y={HEIGHT - EDGE.bottom + 14} text-anchor="middle">
                <title>{text}</title>
                {short(text)}
              </text>
            </g>
          ))}
          <text class="name" x={(EDGE.left + right) / 2} y={HEIGHT - 6} text-anchor="middle">
            {x.column.title}
          </text>
        </svg>
        <canvas
          ref={canvas}
          role="img"
          aria-label={say('scatter.label', { x: x.column.name, y: y.column.name, count: points.rows.length })}
          onPointerMove={(event) => {
            board.hover(near(event));
            tip.value = { x: event.clientX, y: event.clientY };
          }}
          onPointerLeave={() => {
            board.hover(null);
            tip.value = null;
          }}
          onClick={(event) => {
            const row = near(event);
            const run = row === null ? undefined : board.frame.value?.runs[row];
            if (run !== undefined) board.selection.toggle(run);
          }}
        />
        {over && (
          <svg class="over" width={width} height={HEIGHT} aria-hidden="true">
            {over({ x: (place) => EDGE.left + place * (right - EDGE.left), y: yAt })}
          </svg>
        )}
      </div>
      {points.rows.length < rows.length && (
        <p class="hint">{say('scatter.missing', { count: rows.length - points.rows.length })}</p>
      )}
      {tip.value && hovered.length > 0 && (
        <RowTip
          board={board}
          row={hovered[0] as number}
          columns={[...new Set([x.column, y.column, ...parameters])]}
          {...tip.value}
        />
      )}
    </div>
  );
}

interface Points {
  readonly rows: Int32Array;
  readonly xs: Float32Array;
  readonly ys: Float32Array;
}

const yAt = (place: number): number => HEIGHT - EDGE.bottom - place * (HEIGHT - EDGE.bottom - EDGE.top);

function pointsOf(x: Axis, y: Axis, rows: Int32Array, width: number): Points {
  const placed = rows.filter((row) => !Number.isNaN(x.places[row]) && !Number.isNaN(y.places[row]));
  const span = width - EDGE.left - EDGE.right;
  return {
    rows: placed,
    xs: Float32Array.from(placed, (row) => EDGE.left + (x.places[row] as number) * span),
    ys: Float32Array.from(placed, (row) => yAt(y.places[row] as number)),
  };
}

function nearest({ rows, xs, ys }: Points, x: number, y: number): number | null {
  let best = -1;
  let distance = REACH ** 2;
  for (let at = 0; at < rows.length; at++) {
    const own = ((xs[at] as number) - x) ** 2 + ((ys[at] as number) - y) ** 2;
    if (own < distance) {
      distance = own;
      best = at;
    }
  }
  return best < 0 ? null : (rows[best] as number);
}

function draw(
  canvas: HTMLCanvasElement,
  { rows, xs, ys }: Points,
  palette: readonly string[],
  codes: ArrayLike<number>,
  size: PixelSize,
  hovered: Int32Array,
): void {
  fitBitmap(canvas, size);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, size.columns, size.rows);
  context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
  const radius = rows.length > 2000 ? 2 : rows.length > 200 ? 3 : 4;
  context.globalAlpha = (rows.length > 2000 ? 0.5 : 0.8) * (hovered.length > 0 ? 0.3 : 1);
  palette.forEach((color, code) => {
    context.fillStyle = color;
    context.beginPath();
    for (let at = 0; at < rows.length; at++) {
      if (codes[rows[at] as number] !== code) continue;
      context.moveTo((xs[at] as number) + radius, ys[at] as number);
      context.arc(xs[at] as number, ys[at] as number, radius, 0, 2 * Math.PI);
    }
    context.fill();
  });
  context.globalAlpha = 1;
  for (const row of hovered) {
    const at = rows.indexOf(row);
    if (at < 0) continue;
    context.fillStyle = palette[codes[row] as number] ?? 'currentColor';
    context.beginPath();
    context.arc(xs[at] as number, ys[at] as number, radius + 3, 0, 2 * Math.PI);
    context.fill();
  }
}

/** Every so many of them, so that at most `most` stay. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  const stride = Math.max(1, Math.ceil(all.length / Math.max(1, most)));
  return all.filter((_, at) => at % stride === 0);
}

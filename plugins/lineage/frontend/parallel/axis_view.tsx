import { drag } from '@insight-host/kit';
import { namesApart } from '@insight-host/kit/draw';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { scalesOf, type Axis } from '../axes';
import type { LineageParts } from '../board';
import type { Brush } from '../brushes';
import { axisNear, bandsOf, moved, placeAt, tickRoom, TRACK, yOf, type Layout } from './geometry';

interface AxisViewProps {
  readonly board: LineageParts;
  readonly axis: Axis;
  readonly at: number;
  readonly layout: Layout;
}

const EDGE = 5; // pixels of a brush's ends that the hand takes
const CLICK = 3; // pixels that a click may move
const [NAME_SIZE, TICK_SIZE] = [12.5, 12]; // pixels of letters, a little more than they have: some are wide
const LEAST_NAME = 35; // pixels
const STEP = 0.05; // of an axis, for keys

/** Places between which a brush leaves rows standing; null without one. */
export function spanOf(axis: Axis, brush: Brush | undefined): readonly [number, number] | null {
  if (!brush) return null;
  if (brush.kind === 'range')
    return axis.scale === 'category' ? null : [clamp(axis.placeOf(brush.low)), clamp(axis.placeOf(brush.high))];
  const inside = axis.categories.flatMap((text, at) => (brush.texts.includes(text) ? [at] : []));
  if (inside.length === 0) return null;
  const half = 0.5 / axis.categories.length;
  return [axis.placeOf(inside[0] as number) - half, axis.placeOf(inside.at(-1) as number) + half];
}

/** The brush from one place to another; null where it would hold nothing. */
export function brushOf(axis: Axis, from: number, to: number): Brush | null {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  if (axis.scale !== 'category') {
    // An end of the axis holds what is there, although a place is not exact.
    const [first, last] = axis.column.extent;
    return { kind: 'range', low: low <= 0 ? first : rounded(axis, low), high: high >= 1 ? last : rounded(axis, high) };
  }
  const texts = axis.categories.filter((_, at) => axis.placeOf(at) >= low && axis.placeOf(at) <= high);
  return texts.length > 0 ? { kind: 'some', texts } : null;
}

/** The value at a place, in no more digits than the hand can mean. */
function rounded(axis: Axis, place: number): number {
  const value = axis.valueAt(place);
  if (axis.scale === 'log') return Number(value.toPrecision(6));
  const step = 10 ** Math.floor(Math.log10(Math.abs(axis.valueAt(1) - axis.valueAt(0)) / 1e4));
  return step > 0 && Number.isFinite(step) ? Number((Math.round(value / step) * step).toPrecision(15)) : value;
}

const clamp = (place: number): number => Math.max(0, Math.min(1, Number.isNaN(place) ? 0 : place));

export function AxisView({ board, axis, at, layout }: AxisViewProps): JSX.Element {
  const { column } = axis;
  const { t: say } = board.page;
  const shift = useSignal<number | null>(null); // pixels that the axis was moved
  const heads = board.columns.axes.value.map(
    (one) => board.columns.axisHeads.value.get(one.column.name) ?? { text: one.column.title, small: '' },
  );
  const brush = board.brushing.all.value.get(column.name);
  const span = spanOf(axis, brush);
  const x = layout.xs[at] as number;
  const apart = (layout.xs[1] ?? layout.width) - (layout.xs[0] ?? 0);
  const room = Math.min(apart, 2 * x, 2 * (layout.width - x)) - 12; // for its name
  const move = (to: number): void => board.columns.setAxes(moved(board.columns.axisNames.value, column.name, to));
  const onName = (event: PointerEvent): void => {
    const put = (): void => void (shift.value = null);
    drag(event, {
      slop: CLICK + 1,
      move: (_, dx) => (shift.value = dx),
      end() {
        if (shift.value !== null) move(axisNear(layout.xs, x + shift.value));
        put();
      },
      cancel: put,
    });
  };
  const nextScale = (): void => {
    const scales = scalesOf(column);
    board.columns.setScale(column.name, scales[(scales.indexOf(axis.scale) + 1) % scales.length] ?? axis.scale);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [low, high] = span ?? [0, 1];
    const step = event.key === 'ArrowUp' ? STEP : -STEP;
    if (event.key === 'ArrowLeft') move(at - 1);
    else if (event.key === 'ArrowRight') move(at + 1);
    else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      if (event.shiftKey) board.brushing.set(column.name, brushOf(axis, low, clamp(high + step)));
      else board.brushing.set(column.name, brushOf(axis, clamp(low + step), high));
    } else if (event.key === 'Backspace') board.brushing.set(column.name, null);
    else if (event.key === 'Delete')
      board.columns.setAxes(board.columns.axisNames.value.filter((name) => name !== column.name));
    else if (event.key === 's') nextScale();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const names = namesApart(
    heads.map(({ text }) => text),
    Math.max(LEAST_NAME, room),
    NAME_SIZE,
  );
  const texts = axis.ticks.map(({ text }) => text);
  // half a number says nothing
  const labels = axis.scale === 'category' ? namesApart(texts, tickRoom(layout, at), TICK_SIZE) : texts;
  const spaced = axis.ticks.flatMap((tick, place) =>
    place % Math.ceil((axis.ticks.length * 13) / (layout.bottom - layout.top)) === 0
      ? [{ ...tick, label: labels[place] }]
      : [],
  );
  return (
    <g
      class={shift.value === null ? 'axis' : 'axis moving'}
      transform={`translate(${x + (shift.value ?? 0)},0)`}
      data-axis={column.name}
      data-scale={axis.scale}
      tabindex={0}
      role="group"
      aria-label={say('axis.label', { name: column.title, scale: say(`scale.${axis.scale}`) })}
      onKeyDown={onKeyDown}
      onClick={(event) => event.stopPropagation()}
    >
      <g class="head" data-part="name" onPointerDown={onName} onDblClick={nextScale}>
        <title>{`${column.name}\n${say('axis.hint')}`}</title>
        <rect x={-room / 2} y={2} width={Math.max(10, room)} height={26} rx={5} />
        <text y={14}>{names[at]}</text>
        <text class="scale" y={25}>
          {[axis.scale !== 'linear' && say(`scale.${axis.scale}`), heads[at]?.small].filter(Boolean).join(' · ')}
        </text>
      </g>
      <line class="spine" y1={layout.top} y2={layout.bottom} />
      {axis.scale === 'category' && <Bands axis={axis} layout={layout} />}
      {spaced.map(({ place, text, label }) => (
        <g key={text} class="tick" transform={`translate(0,${yOf(layout, place)})`}>
          <line x1={-4} />
          <text x={-7} dy="0.32em">
            {label}
            {label !== text && <title>{text}</title>}
          </text>
        </g>
      ))}
      <BrushStrip board={board} axis={axis} layout={layout} span={span} />
    </g>
  );
}

/** A box for each category, as high as the band of its lines. */
function Bands({ axis, layout }: { readonly axis: Axis; readonly layout: Layout }): JSX.Element {
  const bands = bandsOf(layout, { codes: axis.column.codes, categories: axis.categories });
  return (
    <g class="bands">
      {axis.categories.map((text, at) => {
        const half = Math.max(3, (bands[at] ?? 0) + 1);
        return <rect key={text} x={-4} width={8} y={yOf(layout, axis.placeOf(at)) - half} height={2 * half} rx={2} />;
      })}
    </g>
  );
}

interface BrushStripProps {
  readonly board: LineageParts;
  readonly axis: Axis;
  readonly layout: Layout;
  readonly span: readonly [number, number] | null;
}

/** Takes the pointer along an axis: a drag makes a brush, moves it, or moves one of its ends; a click takes it away. */
function BrushStrip({ board, axis, layout, span }: BrushStripProps): JSX.Element {
  const strip = useRef<SVGRectElement>(null);
  const { name } = axis.column;
  const [top, bottom] = span ? [yOf(layout, span[1]), yOf(layout, span[0])] : [0, 0];
  const onPointerDown = (event: PointerEvent): void => {
    const element = strip.current;
    if (!element || event.button !== 0) return;
    event.preventDefault();
    const origin = element.getBoundingClientRect().top - (layout.top - EDGE);
    const y = event.clientY - origin;
    const start = placeAt(layout, y);
    const how = !span
      ? 'new'
      : Math.abs(y - top) <= EDGE
        ? 'high'
        : Math.abs(y - bottom) <= EDGE
          ? 'low'
          : y > top && y < bottom
            ? 'whole'
            : 'new';
    let frame = 0;
    const apply = (to: number): void => {
      const [low, high] = span ?? [start, start];
      const shift = Math.max(-low, Math.min(1 - high, to - start));
      const ends =
        how === 'new'
          ? [start, to]
          : how === 'high'
            ? [low, to]
            : how === 'low'
              ? [to, high]
              : [low + shift, high + shift];
      board.brushing.set(name, brushOf(axis, ends[0] as number, ends[1] as number));
    };
    const before = board.brushing.all.peek().get(name) ?? null;
    const clicked = (): Brush | null => {
      if (span || axis.scale !== 'category') return null;
      const { length } = axis.categories;
      return brushOf(axis, Math.floor(start * length) / length, (Math.floor(start * length) + 1) / length);
    };
    drag(event, {
      slop: CLICK + 1,
      move({ clientY }) {
        cancelAnimationFrame(frame); // the last of a frame counts
        frame = requestAnimationFrame(() => apply(placeAt(layout, clientY - origin)));
      },
      end({ clientY }, moved) {
        cancelAnimationFrame(frame);
        if (moved) apply(placeAt(layout, clientY - origin));
        else board.brushing.set(name, clicked());
      },
      cancel() {
        cancelAnimationFrame(frame);
        board.brushing.set(name, before);
      },
    });
  };
  return (
    <g class="brush" data-part="brush">
      {span && (
        <rect class="range" x={-TRACK / 2 + 3} width={TRACK - 6} y={top} height={Math.max(2, bottom - top)} rx={2} />
      )}
      <rect
        ref={strip}
        class={span ? 'strip brushed' : 'strip'}
        x={-TRACK / 2}
        width={TRACK}
        y={layout.top - EDGE}
        height={layout.bottom - layout.top + 2 * EDGE}
        onPointerDown={onPointerDown}
      />
    </g>
  );
}

import { useSignal } from '@preact/signals';
import { NO_PIXELS, watchPixels } from '@insight-host/kit';
import { useSize } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { AxisView } from './axis_view';
import { placed, type LineageParts } from '../board';
import { layoutOf, rowAt, stopsOf, type Stops } from './geometry';
import { opacityOf, Polylines, scattered, widthOf } from './polylines';
import { RowTip } from '../row_tip';

const REACH = 6; // pixels from a line to the pointer
const FEW = 100; // lines that one of them stands out of by its width

/** One line for each run, one axis for each chosen column. */
export function Parallel({ board, height }: { readonly board: LineageParts; readonly height: number }): JSX.Element {
  const { t: say } = board.page;
  const host = useRef<HTMLDivElement>(null);
  const { width } = useSize(host).value;
  const tip = useSignal<{ readonly x: number; readonly y: number } | null>(null);
  const axes = board.columns.axes.value;
  const layout = useMemo(() => layoutOf(width, height, axes), [width, height, axes]);
  const { codes } = board.coloring.value;
  const stops = useMemo(() => stopsOf(layout, axes, codes), [layout, axes, codes]);
  const shown = board.rows.shown.value.length;
  const onPointerMove = (event: PointerEvent): void => {
    if (event.buttons) return;
    const box = host.current?.getBoundingClientRect();
    if (!box) return;
    const { value: mask } = board.drawn;
    board.hover(rowAt(stops, mask, event.clientX - box.left, event.clientY - box.top, REACH));
    tip.value = { x: event.clientX, y: event.clientY };
  };
  return (
    <div
      class="parallel"
      ref={host}
      style={{ height: `${height}px` }}
      data-testid="parallel"
      role="group"
      aria-label={say('parallel.label', {
        count: shown,
        axes: axes.map(({ column }) => column.title).join(say('list.separator')),
      })}
      onPointerMove={onPointerMove}
      onPointerLeave={() => {
        board.hover(null);
        tip.value = null;
      }}
      onClick={() => {
        const [row = -1] = board.hovered.value;
        const run = board.frame.value?.runs[row];
        if (run !== undefined) board.selection.toggle(run);
      }}
    >
      {axes.length > 0 && width > 0 && (
        <>
          <LineLayers board={board} stops={stops} />
          <svg class="axes" width={width} height={height}>
            {axes.map((axis, at) => (
              <AxisView key={axis.column.name} board={board} axis={axis} at={at} layout={layout} />
            ))}
          </svg>
        </>
      )}
      {axes.length === 0 && board.frame.value && <p class="nothing">{say('parallel.none')}</p>}
      {tip.value && board.hovered.value.length > 0 && (
        <RowTip
          board={board}
          row={board.hovered.value[0] as number}
          columns={axes.map(({ column }) => column)}
          {...tip.value}
        />
      )}
    </div>
  );
}

interface LayersProps {
  readonly board: LineageParts;
  readonly stops: Stops;
}

/** Behind, what brushes left out; then what they left; then the row under the pointer. */
function LineLayers({ board, stops }: LayersProps): JSX.Element {
  const behind = useLayer();
  const front = useLayer();
  const above = useLayer();
  const { value: mask } = board.drawn;
  const { value: all } = board.rows.candidates;
  const { value: axes } = board.columns.axes;
  const candidates = useMemo(() => placed(all, axes), [all, axes]);
  const { value: coloring } = board.coloring;
  const { value: hovered } = board.hovered;
  const brushed = board.brushing.all.value.size > 0;
  const pixels = useSignal(NO_PIXELS);
  const size = pixels.value;
  useEffect(
    () =>
      behind.lines.current ? watchPixels(behind.lines.current.canvas, (found) => (pixels.value = found)) : undefined,
    [],
  );
  const shown = board.rows.shown.value.length;
  const strong = board.page.theme.value.token('--text') || 'black';
  const faint = board.page.theme.value.token('--border-strong') || 'gray';
  useEffect(() => {
    const rows = brushed ? scattered(candidates) : new Int32Array();
    behind.lines.current?.draw(
      {
        ...stops,
        rows,
        palette: [faint],
        codes: new Uint8Array(mask.length),
        opacity: 0.6 * opacityOf(rows.length),
        lineWidth: 1,
      },
      size,
    );
  }, [size, stops, candidates, brushed, faint]);
  useEffect(() => {
    const rows = scattered(mask);
    front.lines.current?.draw(
      {
        ...stops,
        rows,
        palette: coloring.palette,
        dashes: coloring.dashes,
        codes: coloring.codes,
        opacity: opacityOf(rows.length),
        lineWidth: widthOf(rows.length),
      },
      size,
    );
  }, [size, stops, mask, coloring]);
  useEffect(() => {
    const rows = hovered.filter((row) => mask[row] === 1);
    // its own colour is everywhere
    const own = shown <= FEW ? coloring : { palette: [strong], dashes: [], codes: new Uint8Array(mask.length) };
    above.lines.current?.draw(
      { ...stops, rows, palette: own.palette, dashes: own.dashes, codes: own.codes, opacity: 1, lineWidth: 3 },
      size,
    );
  }, [size, stops, mask, hovered, coloring, shown, strong]);
  return (
    <>
      {behind.canvas}
      <div class={hovered.length > 0 ? 'lines faded' : 'lines'}>{front.canvas}</div>
      {above.canvas}
    </>
  );
}

function useLayer(): { readonly lines: { readonly current: Polylines | null }; readonly canvas: JSX.Element } {
  const lines = useRef<Polylines | null>(null);
  useEffect(() => () => lines.current?.stop(), []);
  const canvas = (
    <canvas
      aria-hidden="true"
      ref={(element: HTMLCanvasElement | null) => {
        if (element && !lines.current) lines.current = new Polylines(element);
      }}
    />
  );
  return { lines, canvas };
}

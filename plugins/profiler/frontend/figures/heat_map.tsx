/** A heat map: rows and columns of cells as colours, walked through by the pointer or by arrow keys. */
import { announce, mix, rgbOf } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import { Tip, type TipText, useParts } from './drawing';
import { type LookAtColumns, useColumnZoom } from './column_zoom';
import { type Cells, type Columns, changeRangeOf, painted, rangeOf, span, worstOf } from './heat_map_cells';
import { type Ink, inkOf } from './ink';

export interface HeatMapProps {
  readonly board: ProfilerParts;
  readonly label: string;
  readonly cells: Cells;
  readonly rowLabels: readonly string[];
  readonly columnLabels: readonly string[];
  readonly rowTitle: string;
  readonly columnTitle: string;
  /** Of the high end; a scale of changes has two ends, of which the bad one is the warning colour. */
  readonly color: string;
  readonly isChange?: boolean;
  /** Most px of a cell across; without it the columns fill the width. */
  readonly cellWidth?: number;
  /** Cells that are worth a look. */
  readonly marked?: readonly (readonly [row: number, column: number])[];
  /** A value in words, for the key of colours. */
  readonly text: (value: number) => string;
  readonly tip: (row: number, column: number) => TipText;
  readonly onPress?: (row: number, column: number) => void;
  /** Shows other columns: with it gestures and keys zoom. */
  readonly onLook?: LookAtColumns;
}

const [LEFT, TOP, BOTTOM] = [64, 8, 36]; // px: half a label above
const [LOWEST, HIGHEST] = [24, 460]; // px of all rows
const REST = 137; // px of a figure besides its rows: title, hint, labels, key
const ROW = 22; // px of a cell at most
const SHADES = 64;

type Place = readonly [row: number, column: number];

const heightOf = (rows: number): number => Math.max(LOWEST, Math.min(HIGHEST, rows * ROW));

/** The room of a figure with a heat map until it is there, so that nothing below moves. */
export function HeatMapRoom({ rows }: { readonly rows: number }): JSX.Element {
  return <div class="figure" aria-busy="true" style={{ height: `${heightOf(rows) + REST}px` }} />;
}

export function HeatMap(props: HeatMapProps): JSX.Element {
  const { board, label, cells, rowLabels, columnLabels, color, isChange = false, tip, onPress } = props;
  const parts = useParts(900);
  const canvas = useRef<HTMLCanvasElement>(null);
  const at = useSignal<Place | null>(null);
  const zoom = useColumnZoom(cells, props.onLook);
  const ink = inkOf(board.page.theme.value);
  const range = useMemo(() => (isChange ? changeRangeOf(cells) : rangeOf(cells)), [cells, isChange]);
  // once a map, not with every move of the pointer
  const isCut = useMemo(
    () => ({ low: isBeyond(cells, range.low, 'low'), high: isBeyond(cells, range.high, 'high') }),
    [cells, range],
  );
  const shades = useMemo(() => shadesOf(ink, color, isChange, cells.worst), [ink, color, isChange, cells.worst]);
  const room = Math.max(60, parts.width - LEFT - 8);
  const width = props.cellWidth === undefined ? room : Math.min(room, cells.columns * props.cellWidth);
  const height = heightOf(cells.rows);

  useEffect(() => {
    const element = canvas.current;
    const ratio = globalThis.devicePixelRatio || 1;
    const [wide, high] = [
      Math.min(cells.columns, Math.round(width * ratio)),
      Math.min(cells.rows, Math.round(height * ratio)),
    ];
    if (!element || wide === 0 || high === 0) return;
    element.width = wide; // the browser stretches it without smoothing
    element.height = high;
    const window = zoom.window.value ?? undefined;
    const pixels = painted(cells, range, wide, high, shades.map(rgbOf), rgbOf(ink.background), window);
    element.getContext('2d')?.putImageData(new ImageData(pixels, wide, high), 0, 0);
  }, [cells, range, shades, width, height, zoom.window.value]);
  useEffect(() => (canvas.current ? zoom.follow(canvas.current) : undefined), []);
  useEffect(() => void (at.value = null), [cells.rows, cells.columns]);

  const show = (place: Place | null, x: number, y: number): void => {
    at.value = place;
    parts.tip.value = place && { x, y, ...tip(...place) };
  };
  const under = (event: MouseEvent): Place | null => {
    const box = canvas.current?.getBoundingClientRect();
    if (!box || box.width === 0 || cells.rows === 0 || cells.columns === 0 || zoom.window.value) return null;
    // the place of the bitmap under the pointer, and the cells that it shows
    const within = (offset: number, length: number, places: number): number =>
      Math.max(0, Math.min(places - 1, Math.floor((offset / length) * places)));
    const [wide, high] = [canvas.current?.width ?? 1, canvas.current?.height ?? 1];
    const rows = span(within(event.clientY - box.top, box.height, high), high, cells.rows);
    const columns = span(within(event.clientX - box.left, box.width, wide), wide, cells.columns);
    return worstOf(cells, rows, columns) ?? [rows[0], columns[0]];
  };
  const walk = (row: number, column: number): void => {
    const place: Place = [Math.max(0, Math.min(cells.rows - 1, row)), Math.max(0, Math.min(cells.columns - 1, column))];
    const box = canvas.current?.getBoundingClientRect();
    const [x, y] = [((place[1] + 0.5) / cells.columns) * width, ((place[0] + 0.5) / cells.rows) * height];
    show(place, (box?.left ?? 0) + x, (box?.top ?? 0) + y);
    const { title, lines } = tip(...place);
    announce([title, ...lines.map(([name, value]) => `${name} ${value}`)].join(', '));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [row, column] = at.value ?? [0, -1];
    const page = Math.max(1, Math.round(cells.rows / 10));
    const to: Readonly<Record<string, Place>> = {
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, Math.max(0, column - 1)],
      ArrowDown: at.value ? [row + 1, column] : [0, 0],
      ArrowUp: [row - 1, Math.max(0, column)],
      PageDown: [row + page, Math.max(0, column)],
      PageUp: [row - page, Math.max(0, column)],
      Home: [row, 0],
      End: [row, cells.columns - 1],
    };
    const next = to[event.key];
    if (next) walk(...next);
    else if (event.key === 'Escape' && at.value) show(null, 0, 0);
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (zoom.key(event.key, at.value?.[1] ?? null)) show(null, 0, 0);
    else if ((event.key === 'Enter' || event.key === ' ') && at.value && onPress) onPress(...at.value);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const { value: place } = at;
  const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => shades[Math.round(share * (SHADES - 1))]).join(', ');
  return (
    <div ref={parts.host} class="heat-map" onPointerLeave={() => show(null, 0, 0)}>
      <div class="heat-map-plot" style={{ height: `${TOP + height + BOTTOM}px` }}>
        <canvas
          ref={canvas}
          role="application"
          tabIndex={0}
          aria-label={label}
          style={{
            left: `${LEFT}px`,
            top: `${TOP}px`,
            width: `${width}px`,
            height: `${height}px`,
            cursor: onPress ? 'pointer' : 'default',
            ...(props.onLook && { touchAction: 'pan-y' }),
          }}
          onPointerDown={zoom.press}
          onPointerMove={(event) => show(under(event), event.clientX, event.clientY)}
          onClick={(event) => {
            const pressed = zoom.wasDrag() ? null : under(event);
            if (pressed && onPress) onPress(...pressed);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => show(null, 0, 0)}
        />
        {props.marked?.map((cell) => (
          <Mark key={cell.join()} place={cell} cells={cells} width={width} height={height} isWarning />
        ))}
        {place && <Mark place={place} cells={cells} width={width} height={height} />}
        {zoom.chosen.value && <Chosen columns={zoom.chosen.value} cells={cells} width={width} height={height} />}
        <Labels
          labels={rowLabels}
          length={height}
          apart={16}
          style={(middle) => ({ right: `calc(100% - ${LEFT - 6}px)`, top: `${TOP + middle}px` })}
          kind="row"
        />
        <Labels
          labels={zoom.window.value ? [] : columnLabels}
          length={width}
          apart={44}
          style={(middle) => ({ left: `${LEFT + middle}px`, top: `${TOP + height + 3}px` })}
          kind="column"
        />
        <span class="axis down" style={{ top: `${TOP}px`, height: `${height}px` }}>
          {props.rowTitle}
        </span>
        <span class="axis" style={{ left: `${LEFT}px`, top: `${TOP + height + 18}px`, width: `${width}px` }}>
          {props.columnTitle}
        </span>
      </div>
      <div class="heat-map-key" aria-hidden="true">
        <span>{`${isCut.low ? '≤ ' : ''}${props.text(range.low)}`}</span>
        <span class="shades" style={{ background: `linear-gradient(90deg, ${stops})` }} />
        <span>{`${isCut.high ? '≥ ' : ''}${props.text(range.high)}`}</span>
      </div>
      <Tip tip={parts.tip} />
    </div>
  );
}

const isBeyond = ({ values }: Cells, limit: number, end: 'low' | 'high'): boolean =>
  values.some((value) => (end === 'low' ? value < limit : value > limit));

interface MarkProps {
  readonly place: Place;
  readonly cells: Cells;
  readonly width: number;
  readonly height: number;
  readonly isWarning?: boolean;
}

/** Around the cell that is pointed at, or that is worth a look. */
function Mark({ place: [row, column], cells, width, height, isWarning = false }: MarkProps): JSX.Element {
  const [wide, high] = [width / cells.columns, height / cells.rows];
  return (
    <span
      class={isWarning ? 'heat-map-mark warning' : 'heat-map-mark'}
      style={{
        left: `${LEFT + column * wide}px`,
        top: `${TOP + row * high}px`,
        width: `${Math.max(4, wide)}px`,
        height: `${Math.max(4, high)}px`,
      }}
    />
  );
}

interface ChosenProps {
  readonly columns: Columns;
  readonly cells: Cells;
  readonly width: number;
  readonly height: number;
}

/** The columns that a drag chooses. */
function Chosen({ columns: [from, to], cells, width, height }: ChosenProps): JSX.Element {
  const wide = width / cells.columns;
  return (
    <span
      class="heat-map-chosen"
      style={{
        left: `${LEFT + from * wide}px`,
        top: `${TOP}px`,
        width: `${(to - from) * wide}px`,
        height: `${height}px`,
      }}
    />
  );
}

interface LabelsProps {
  readonly labels: readonly string[];
  readonly length: number;
  readonly apart: number;
  readonly kind: 'row' | 'column';
  readonly style: (middle: number) => Readonly<Record<string, string>>;
}

/** As many labels as there is room for, evenly chosen. */
function Labels({ labels, length, apart, kind, style }: LabelsProps): JSX.Element {
  const each = length / Math.max(1, labels.length);
  const every = Math.max(1, Math.ceil(apart / each));
  return (
    <>
      {labels.map((text, i) =>
        i % every === 0 ? (
          <span key={i} class={`label ${kind}`} style={style((i + 0.5) * each)} aria-hidden="true">
            {text}
          </span>
        ) : null,
      )}
    </>
  );
}

/** From the low end to the high end, as the eye sees even steps. */
function shadesOf(ink: Ink, color: string, isChange: boolean, worst: Cells['worst']): readonly string[] {
  const ground = isChange ? mix(ink.background, ink.muted, 0.12) : mix(ink.background, color, 0.14);
  return Array.from({ length: SHADES }, (_, i) => {
    const share = i / (SHADES - 1);
    if (!isChange)
      return share < 0.75
        ? mix(ground, color, share / 0.75)
        : mix(color, mix(color, ink.text, 0.55), (share - 0.75) / 0.25);
    const isBad = share > 0.5 === (worst === 'largest');
    return mix(ground, isBad ? ink.bad : color, Math.abs(share - 0.5) * 2);
  });
}

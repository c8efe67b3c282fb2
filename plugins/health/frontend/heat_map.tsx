/** The map on the screen: drawn as it is moved, read with the pointer and with keys. */
import { drag, fitBitmap, NO_PIXELS, Tooltip, watchPixels, type PixelSize } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { layerAt, type HeatMap } from './answer';
import type { HealthBoard } from './board';
import { paintedCells, type CellColors, type Scale } from './colors';
import { moveByKey, type Moved } from './map_keys';
import { across, boxOf, cellsAt, columnOf, layOut, paint, placeAt, shownNames, type Cells, type Place } from './paint';
import { lengthOf, moved, showing, within, zoomed, type Span } from './span';
import { namesOf, placeOfStep, Reading } from './words';

const LEAST_COLUMNS = 4; // places in sight
const LEAST_ROWS = 3;
const WHEEL = 1 / 400; // powers of two of a pixel of the wheel
const LINE = 33; // px of a line of the wheel
const SLOP = 4; // px that a click may wander

interface HeatMapProps {
  readonly board: HealthBoard;
  readonly map: HeatMap;
  readonly scale: Scale;
  readonly colors: CellColors;
  /** Holds the canvas, for the picture. */
  readonly canvas: { current: HTMLCanvasElement | null };
}

export function HeatMapView({ board, map, scale, colors, canvas }: HeatMapProps): JSX.Element {
  const { page, settings } = board;
  const { t: say } = page;
  const size = useSignal<PixelSize>(NO_PIXELS);
  const pointed = useSignal<Place | null>(null);
  const theme = page.theme.value;
  const locale = page.locale.value;
  const detail = board.detail.value;
  const base = useMemo(() => pictured(map, scale, colors), [map, scale, colors]);
  const fine = useMemo(() => detail && pictured(detail, scale, colors), [detail, scale, colors]);
  const names = useMemo(() => namesOf(map, page), [map, locale, page.runsByName.value]);
  const [x, y] = [settings.x.value, settings.y.value];
  const layout = useMemo(() => layOut(map, names, size.value, x, y), [map, names, size.value, x, y]);
  const short = useMemo(() => shownNames(names, layout), [names, layout.left]);
  const drawn = { layout, base, detail: fine };
  const [layer, step] = [settings.layer.value, settings.at.value];
  const selected = useMemo(() => {
    const row = map.view === 'ranks' ? -1 : map.layers.findIndex(({ id }) => id === layer);
    return row < 0 ? null : { row, at: step === null || map.view === 'matrix' ? null : placeOfStep(map, Number(step)) };
  }, [map, layer, step]);
  const latest = useRef({ layout, map, selected });
  latest.current = { layout, map, selected };

  useEffect(() => {
    if (!canvas.current) return;
    return watchPixels(canvas.current, (next) => (size.value = next));
  }, []);
  useEffect(() => {
    if (size.value.width > 0) board.drawnAcross(layout.width);
  }, [layout.width, size.value]);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context || size.value.columns === 0) return;
    fitBitmap(canvas.current, size.value);
    paint(context, { ...drawn, names: short, size: size.value, theme, locale, pointed: pointed.value, selected });
    canvas.current.dataset['ready'] = '1';
  });
  const isSized = size.value.width > 0;
  // what is chosen elsewhere comes into sight
  useEffect(() => {
    const { selected: now, layout: is } = latest.current;
    if (!now || !isSized) return;
    const rows = showing(is.y, now.row, map.rows);
    if (rows.from !== is.y.from) settings.y.set(rows);
    if (now.at === null) return;
    const columns = showing(is.x, now.at, across(map));
    if (columns.from !== is.x.from) settings.x.set(columns);
  }, [layer, step, selected?.row, isSized]);

  const look = (next: { readonly x?: Span; readonly y?: Span }): void => {
    const { map: shown, layout: is } = latest.current;
    if (next.x) settings.x.set(lengthOf(next.x) >= across(shown) - 1e-9 ? null : next.x);
    if (next.y && next.y !== is.y) settings.y.set(lengthOf(next.y) >= shown.rows - 1e-9 ? null : next.y);
  };
  const at = (event: MouseEvent): readonly [number, number] => {
    const box = canvas.current?.getBoundingClientRect();
    return [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)];
  };
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const { layout: is, map: shown } = latest.current;
    const unit = event.deltaMode === 0 ? 1 : LINE;
    const [aside, along] = [event.deltaX * unit, event.deltaY * unit];
    const [px, py] = at(event);
    const factor = 2 ** (Math.max(-200, Math.min(200, along)) * WHEEL);
    const sideways = Math.abs(aside) > Math.abs(along) ? aside : event.shiftKey ? along : 0;
    if (sideways !== 0) look({ x: moved(is.x, (sideways / is.width) * lengthOf(is.x), across(shown)) });
    else if (event.altKey || px < is.left) {
      const row = is.y.from + ((py - is.top) / is.height) * lengthOf(is.y);
      look({ y: zoomed(is.y, factor, row, shown.rows, LEAST_ROWS) });
    } else {
      const place = is.x.from + ((px - is.left) / is.width) * lengthOf(is.x);
      look({ x: zoomed(is.x, factor, place, across(shown), LEAST_COLUMNS) });
    }
  };
  useEffect(() => {
    const element = canvas.current;
    element?.addEventListener('wheel', wheel, { passive: false });
    return () => element?.removeEventListener('wheel', wheel);
  }, []);
  const press = (event: PointerEvent): void => {
    const { layout: start, map: shown } = latest.current;
    drag(event, {
      slop: SLOP,
      move: (_, dx, dy) => {
        pointed.value = null;
        look({
          x: moved(start.x, (-dx / start.width) * lengthOf(start.x), across(shown)),
          y: moved(start.y, (-dy / start.height) * lengthOf(start.y), shown.rows),
        });
      },
      end: (released, wandered) => {
        if (wandered) return;
        const place = placeAt(latest.current.layout, ...at(released));
        if (place) select(place);
      },
      cancel: () => look({ x: start.x, y: start.y }),
      pinch: ({ scale: apart, x: px, dx }) => {
        const left = canvas.current?.getBoundingClientRect().left ?? 0;
        const place = start.x.from + ((px - left - dx - start.left) / start.width) * lengthOf(start.x);
        const wide = zoomed(start.x, 1 / apart, place, across(shown), LEAST_COLUMNS);
        look({ x: within(moved(wide, (-dx / start.width) * lengthOf(wide), across(shown)), across(shown)) });
      },
    });
  };
  const select = (place: Place): void => {
    const { map: shown } = latest.current;
    if (shown.view === 'matrix') return settings.layer.set(shown.layers[place.row]?.id ?? null);
    const cells = shownAt(drawn, place);
    const chosen = cells.map.firsts[cells.column];
    if (chosen === undefined) return;
    if (shown.view === 'layers') settings.layer.set(layerAt(shown, place.row)?.id ?? null);
    settings.at.set(String(chosen));
    page.ctx.cursor.pin({ step: chosen });
  };
  const keyed = (event: KeyboardEvent): void => {
    const { layout: is } = latest.current;
    const next: Moved | null = moveByKey(event, { ...drawn, layout: is, place: pointed.peek() });
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    if (next.reset) {
      settings.x.set(null);
      settings.y.set(null);
    }
    if (next.x || next.y) look({ ...(next.x && { x: next.x }), ...(next.y && { y: next.y }) });
    if (next.place) pointed.value = next.place;
    if (next.selects && pointed.peek()) select(pointed.peek() as Place);
  };
  const place = canvas.current?.getBoundingClientRect();
  const box = pointed.value && boxOf(drawn, pointed.value);
  return (
    <div class="stage">
      <canvas
        ref={canvas}
        role="img"
        tabIndex={0}
        data-testid="heat-map"
        aria-label={say('map.description', {
          view: say(`view.${map.view}`),
          measure: say(`measure.${map.measure}`),
          rows: map.rows,
          columns: across(map),
        })}
        onPointerDown={press}
        onPointerMove={(event) => {
          if (event.buttons === 0) pointed.value = placeAt(layout, ...at(event));
        }}
        onPointerLeave={() => (pointed.value = null)}
        onBlur={() => (pointed.value = null)}
        onDblClick={() => {
          settings.x.set(null);
          settings.y.set(null);
        }}
        onKeyDown={keyed}
      />
      {pointed.value && place && box && (
        <Tooltip
          x={place.left + Math.min(layout.left + layout.width, Math.max(layout.left, box.x + box.width))}
          y={place.top + box.y + box.height}
          name="cell"
        >
          <Reading board={board} {...shownAt(drawn, pointed.value)} row={pointed.value.row} />
        </Tooltip>
      )}
    </div>
  );
}

/** The map and the column that show a place. */
function shownAt(drawn: { readonly base: Cells; readonly detail: Cells | null }, { at }: Place) {
  const cells = cellsAt(drawn, at);
  return { map: cells.map, column: columnOf(cells, at) };
}

function pictured(map: HeatMap, scale: Scale, colors: CellColors): Cells {
  const picture = document.createElement('canvas');
  [picture.width, picture.height] = [map.columns, map.rows];
  if (map.columns > 0 && map.rows > 0) {
    const cells = paintedCells(map.numbers, map.flags, scale.at, colors);
    picture.getContext('2d')?.putImageData(new ImageData(cells, map.columns, map.rows), 0, 0);
  }
  const [from, to] = map.view === 'matrix' ? [0, map.runs.length] : [map.begin, map.end];
  const { columns, flags } = map;
  const [badRows, badColumns] = [new Set<number>(), new Set<number>()];
  flags.forEach((flag, cell) => {
    if (flag === 0) return;
    badRows.add(Math.floor(cell / columns));
    badColumns.add(cell % columns);
  });
  return {
    map,
    picture,
    from,
    to,
    badRows: [...badRows],
    badColumns: [...badColumns],
  };
}

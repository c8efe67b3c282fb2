/** What keys do on the map. */
import { across, cellsAt, columnOf, placesOf, type Cells, type Layout, type Place } from './paint';
import { lengthOf, moved, showing, zoomed, type Span } from './span';

export interface Moved {
  readonly place?: Place;
  readonly x?: Span;
  readonly y?: Span;
  readonly reset?: boolean;
  readonly selects?: boolean;
}

interface On {
  /** The cell that is read; null: none yet. */
  readonly place: Place | null;
  readonly layout: Layout;
  readonly base: Cells;
  readonly detail: Cells | null;
}

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** Arrows go from cell to cell, + and - zoom, page keys leaf, 0 shows all, Enter selects. null: not a key of ours. */
export function moveByKey({ key, ctrlKey, metaKey, altKey }: Pressed, on: On): Moved | null {
  if (ctrlKey || metaKey || altKey) return null;
  const { layout, base } = on;
  const { x, y } = layout;
  const { rows } = base.map;
  const whole = across(base.map);
  const middle: Place = { row: Math.floor((y.from + y.to) / 2), at: (x.from + x.to) / 2 };
  const zoom = (factor: number): Moved => ({ x: zoomed(x, factor, on.place?.at ?? middle.at, whole, 4) });
  const go = (rowsDown: number, columns: number): Moved => {
    if (!on.place) return { place: middle };
    const cells = cellsAt(on, on.place.at);
    const one = lengthOf(placesOf(cells, 0));
    const { from, to } = placesOf(cells, columnOf(cells, on.place.at));
    const at = Math.max(0, Math.min(whole - one / 2, (from + to) / 2 + columns * one));
    const row = Math.max(0, Math.min(rows - 1, on.place.row + rowsDown));
    return { place: { row, at }, x: showing(x, at - one / 2, whole), y: showing(y, row, rows) };
  };
  switch (key) {
    case 'ArrowLeft':
      return go(0, -1);
    case 'ArrowRight':
      return go(0, 1);
    case 'ArrowUp':
      return go(-1, 0);
    case 'ArrowDown':
      return go(1, 0);
    case 'PageUp':
      return { y: moved(y, -lengthOf(y), rows) };
    case 'PageDown':
      return { y: moved(y, lengthOf(y), rows) };
    case 'Home':
      return go(0, -whole);
    case 'End':
      return go(0, whole);
    case '+':
    case '=':
      return zoom(0.5);
    case '-':
      return zoom(2);
    case '0':
      return { reset: true };
    case 'Enter':
    case ' ':
      return { selects: true };
    default:
      return null;
  }
}

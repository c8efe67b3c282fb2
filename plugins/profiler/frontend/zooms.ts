/** Parts of charts that are zoomed into, for the URL: `x0:x1:y0:y1`, nothing where an axis shows all. */
export interface Zoom {
  readonly x: readonly [number, number] | null;
  readonly y: readonly [number, number] | null;
}

export function zoomOf(text: string): Zoom | null {
  const parts = text.split(':').map((part) => (part === '' ? NaN : Number(part)));
  const range = (at: number): readonly [number, number] | null => {
    const [low, high] = [parts[at] ?? NaN, parts[at + 1] ?? NaN];
    return Number.isFinite(low) && Number.isFinite(high) && low < high ? [low, high] : null;
  };
  const zoom = { x: range(0), y: range(2) };
  return zoom.x || zoom.y ? zoom : null;
}

export const zoomText = ({ x, y }: Zoom): string =>
  [...(x ?? ['', '']), ...(y ?? ['', ''])]
    .map((value) => (typeof value === 'number' ? String(Number(value.toPrecision(9))) : ''))
    .join(':');

import type { Columns } from '@insight-host/api';
import { fitBitmap, floats, NO_PIXELS, rgbOf, watchPixels, type PixelSize } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { AudioParts } from './board';

/** Facts of a recorded file, and its pictures. */
interface Clip {
  /** Of the record. */
  readonly clips: number;
  readonly label: string;
  /** Hz. */
  readonly rate: number;
  readonly channels: number;
  readonly bits: number;
  /** Samples of each channel. */
  readonly seconds: number;
  /** Lowest and highest sample of each column, from -1 to 1. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Loudness from 0 to 255, column by column, the lowest of `bands` first. */
  readonly spectrogram: ArrayLike<number>;
  readonly bands: number;
}

export function clipOf(columns: Columns): Clip {
  const said = JSON.parse(columns.metadata['clip'] ?? '{}') as Readonly<Record<string, unknown>>;
  const count = (name: string): number => Number(said[name] ?? 0);
  return {
    clips: count('clips'),
    label: String(said['label'] ?? ''),
    rate: count('rate'),
    channels: count('channels'),
    bits: count('bits'),
    seconds: count('frames') / Math.max(1, count('rate')),
    low: floats(columns.column('low')),
    high: floats(columns.column('high')),
    spectrogram: floats(columns.column('spectrogram')),
    bands: count('bands'),
  };
}

/** Time as 0:02.45 */
export function clockText(seconds: number): string {
  const hundredths = Math.round(Math.max(0, seconds) * 100);
  const rest = (hundredths % 6000) / 100;
  return `${Math.floor(hundredths / 6000)}:${rest.toFixed(2).padStart(5, '0')}`;
}

interface Bar {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * One bar for each column of the waveform, in device pixels; each touches the one before, and silence is a line of one
 * pixel.
 */
export function waveform({ low, high }: Pick<Clip, 'low' | 'high'>, columns: number, rows: number): readonly Bar[] {
  const y = (value: number): number => Math.round(((1 - Math.max(-1, Math.min(1, value))) / 2) * (rows - 1));
  return Array.from(low, (lowest, i) => {
    const left = Math.round((i / low.length) * columns);
    const top = y(Math.max(high[i] ?? 0, low[i - 1] ?? -1));
    const bottom = y(Math.min(lowest, high[i - 1] ?? 1));
    return {
      left,
      top,
      width: Math.max(1, Math.round(((i + 1) / low.length) * columns) - left),
      height: bottom - top + 1,
    };
  });
}

/**
 * The spectrogram in one colour, louder is more opaque: it fits either theme. The highest band is the first row; null
 * without samples.
 */
export function spectrogramPixels(
  { spectrogram, bands }: Pick<Clip, 'spectrogram' | 'bands'>,
  [red, green, blue]: readonly [number, number, number],
): ImageData | null {
  const columns = bands > 0 ? Math.floor(spectrogram.length / bands) : 0;
  if (columns === 0) return null;
  const pixels = new Uint8ClampedArray(columns * bands * 4);
  const [color] = new Uint32Array(Uint8ClampedArray.of(red, green, blue, 0).buffer);
  new Uint32Array(pixels.buffer).fill(color as number);
  for (let x = 0; x < columns; x++)
    for (let band = 0; band < bands; band++)
      pixels[((bands - 1 - band) * columns + x) * 4 + 3] = spectrogram[x * bands + band] ?? 0;
  return new ImageData(pixels, columns, bands);
}

interface PictureProps {
  readonly board: AudioParts;
  readonly clip: Clip;
  readonly url: string;
}

const STEP = 0.05; // of the length, that an arrow key moves

/** Waveform above spectrogram; a press plays from there, arrow keys move, Enter plays. */
export function Picture({ board, clip, url }: PictureProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal<PixelSize>(NO_PIXELS);
  const theme = board.page.theme.value;
  const { player } = board;
  const at = player.url.value === url ? Math.min(clip.seconds, player.time.value) : 0;
  const spectrum = useMemo(() => spectrogramPixels(clip, rgbOf(theme.token('--accent'))), [clip, theme]);
  useEffect(() => (canvas.current ? watchPixels(canvas.current, (next) => (size.value = next)) : undefined), []);
  // with the frame that says the step, not the one after it
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context || size.value.columns === 0) return;
    const { columns, rows } = size.value;
    fitBitmap(canvas.current, size.value);
    context.clearRect(0, 0, columns, rows);
    const middle = Math.round(rows / 2);
    context.fillStyle = theme.token('--text');
    for (const { left, top, width, height } of waveform(clip, columns, middle))
      context.fillRect(left, top, width, height);
    if (!spectrum) return;
    const source = new OffscreenCanvas(spectrum.width, spectrum.height);
    source.getContext('2d')?.putImageData(spectrum, 0, 0);
    context.drawImage(source, 0, middle, columns, rows - middle);
  }, [clip, spectrum, theme, size.value]);
  const seek = (seconds: number): void => player.play(url, Math.max(0, Math.min(clip.seconds, seconds)));
  return (
    <div
      class="picture"
      role="slider"
      tabIndex={0}
      aria-label={board.page.t('position')}
      aria-valuemin={0}
      aria-valuemax={clip.seconds}
      aria-valuenow={at}
      aria-valuetext={clockText(at)}
      title={board.page.t('position.hint', { half: clip.rate / 2 })}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        seek(((event.clientX - box.left) / Math.max(1, box.width)) * clip.seconds);
      }}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const to = { ArrowLeft: at - clip.seconds * STEP, ArrowRight: at + clip.seconds * STEP, Home: 0 }[event.key];
        if (to !== undefined) seek(to);
        else if (event.key === 'Enter' || event.key === ' ') player.toggle(url);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <i class="playhead" style={{ left: `${clip.seconds > 0 ? (at / clip.seconds) * 100 : 0}%` }} />
    </div>
  );
}

import {
  Button,
  canvasFile,
  drag,
  ErrorCell,
  fileName,
  message,
  problemOf,
  type CardKey,
  type Setting,
} from '@insight-host/kit';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { ImageParts } from './board';
import { pixelsOf, type Frame } from './frames';
import { filterOf } from './light';
import { Readout, RunLabel } from './pane';
import { Stage } from './stage';
import { useRunPicture, useWaiting } from './use_picture';
import type { Pixel } from './viewport';
import type { Mode } from './zooms';

const MOST_PIXELS = 1 << 24; // of a difference: it is worked out while the page waits

interface PairProps {
  readonly board: ImageParts;
  readonly first: CardKey;
  readonly second: CardKey;
  readonly step: number | null;
  /** Index of the record of the first. */
  readonly at: number;
  readonly mode: Exclude<Mode, 'side'>;
  readonly pixel: Signal<Pixel | null>;
  /** How many pictures are not yet what is asked for. */
  readonly waiting: Signal<number>;
}

/** Two runs in one picture. */
export function Pair({ board, first, second, step, at, mode, pixel, waiting }: PairProps): JSX.Element {
  const { t: say } = board.page;
  const place = useRef<HTMLDivElement>(null);
  const sample = board.samples.of(first) ?? 0;
  const one = useRunPicture(board, first, place, step, sample, at);
  const other = useRunPicture(board, second, place, step, sample);
  useWaiting(waiting, one.busy || other.busy);
  const settled = !one.busy && !other.busy && !one.error && !other.error;
  const difference = useDifference(
    mode === 'difference' && settled ? one.frame : null,
    mode === 'difference' && settled ? other.frame : null,
    Number(board.comparing.gain.value),
  );
  const problem = problemOf(board.page, first, one.steps, one) ?? problemOf(board.page, second, other.steps, other);
  const sameSize =
    !one.frame || !other.frame || (one.frame.width === other.frame.width && one.frame.height === other.frame.height);
  const common = {
    size: one.frame ?? { width: 0, height: 0 },
    zoom: board.zooms.of(first),
    onZoom: (zoom: Parameters<typeof board.zooms.set>[1]) => board.zooms.set(first, zoom),
    wheel: true,
    onPixel: (found: Pixel | null) => void (pixel.value = found),
  };
  const label = say('compare.label', {
    first: board.page.nameOf(first.run ?? ''),
    second: board.page.nameOf(second.run ?? ''),
    tag: board.page.titleOf(first.tag),
  });
  return (
    <div ref={place} class="pair">
      <div class="labels">
        <RunLabel board={board} picture={one} step={step} />
        <RunLabel board={board} picture={other} step={step} />
      </div>
      <div class={one.busy || other.busy ? 'view busy' : 'view'}>
        {problem ??
          (mode === 'swipe' ? (
            <>
              <Stage
                {...common}
                element={one.frame?.image ?? null}
                filter={filterOf(board.lights.of(first))}
                label={label}
              />
              <Stage
                {...common}
                element={other.frame?.image ?? null}
                filter={filterOf(board.lights.of(first))}
                label={label}
                clip={`inset(0 0 0 ${board.comparing.swipe.value}%)`}
              />
              <Divider label={say('compare.divider')} setting={board.comparing.swipe} />
            </>
          ) : difference && 'reason' in difference ? (
            <ErrorCell page={board.page} card={first} reason={say(`compare.${difference.reason}`, difference.values)} />
          ) : (
            <Stage {...common} element={difference?.canvas ?? null} label={label} />
          ))}
      </div>
      <footer>
        <span class="counts" data-testid="difference">
          {mode === 'swipe' && !sameSize && one.frame && other.frame
            ? say('compare.stretched', { first: sizeText(one.frame), second: sizeText(other.frame) })
            : ''}
          {mode === 'difference' && difference && 'found' in difference
            ? say('compare.found', {
                largest: difference.found.largest,
                mean: Number(difference.found.mean.toPrecision(3)),
                differing: difference.found.differing,
                pixels: difference.canvas.width * difference.canvas.height,
              })
            : ''}
        </span>
        {mode === 'difference' && difference && 'canvas' in difference && (
          <Button
            action="save-difference"
            icon="export"
            label={say('compare.save')}
            onPress={() => save(board, first, difference.canvas, step)}
          />
        )}
        {pixel.value && one.frame && (
          <Readout board={board} frame={one.frame} pixel={pixel.value} run={first.run ?? ''} />
        )}
        {pixel.value && other.frame && sameSize && (
          <Readout board={board} frame={other.frame} pixel={pixel.value} run={second.run ?? ''} />
        )}
      </footer>
    </div>
  );
}

interface Drawn {
  readonly found: Difference;
  readonly canvas: HTMLCanvasElement;
}
interface Refused {
  readonly reason: 'sizes' | 'large';
  readonly values: Readonly<Record<string, string | number>>;
}

/** The difference of both, the last one while there is nothing to compare. */
function useDifference(a: Frame | null, b: Frame | null, gain: number): Drawn | Refused | null {
  const last = useRef<Drawn | Refused | null>(null);
  return useMemo(() => {
    if (!a || !b) return last.current;
    last.current = drawn(a, b, gain);
    return last.current;
  }, [a?.url, b?.url, gain]);
}

function drawn(a: Frame, b: Frame, gain: number): Drawn | Refused {
  const values = { first: sizeText(a), second: sizeText(b) };
  if (a.width !== b.width || a.height !== b.height) return { reason: 'sizes', values };
  if (a.width * a.height > MOST_PIXELS) return { reason: 'large', values };
  const found = differenceOf(pixelsOf(a), pixelsOf(b), gain);
  const canvas = document.createElement('canvas');
  canvas.width = a.width;
  canvas.height = a.height;
  canvas.getContext('2d')?.putImageData(new ImageData(found.pixels, a.width, a.height), 0, 0);
  return { found, canvas };
}

function sizeText({ width, height }: Frame): string {
  return `${width} × ${height}`;
}

function save(board: ImageParts, card: CardKey, canvas: HTMLCanvasElement, step: number | null): void {
  canvasFile(canvas)
    .then((content) =>
      board.page.ctx.ui.download(fileName(`${card.tag}_${step ?? ''}_difference`, 'png', 'difference'), content),
    )
    .catch((error: unknown) =>
      board.page.ctx.notify('error', board.page.t('export.failed', { reason: message(error) })),
    );
}

interface DividerProps {
  readonly label: string;
  /** Per cent of the width, from the left. */
  readonly setting: Setting<number>;
}

const KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -100,
  End: 100,
};

/** The line between two pictures that lie on each other. */
function Divider({ label, setting }: DividerProps): JSX.Element {
  const set = (value: number): void => setting.set(Math.round(Math.max(0, Math.min(100, value))));
  return (
    <div
      class="divider"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={setting.value}
      data-control="swipe"
      style={{ left: `${setting.value}%` }}
      onPointerDown={(event) => {
        const box = event.currentTarget.parentElement?.getBoundingClientRect();
        const before = setting.value;
        if (box)
          drag(event, {
            move: ({ clientX }) => set(((clientX - box.left) / box.width) * 100),
            cancel: () => set(before),
          });
      }}
      onKeyDown={(event) => {
        const by = KEYS[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        set(setting.value + by);
      }}
    />
  );
}

/** How two pictures of the same size differ. */
interface Difference {
  /** RGBA of each pixel: how far apart the channels are, times the gain; opaque. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  /** Largest distance in any channel, 0 to 255, without the gain. */
  readonly largest: number;
  /** Mean distance over pixels and colour channels, without the gain. */
  readonly mean: number;
  /** Pixels that differ at all, also in alpha. */
  readonly differing: number;
}

/** Both are RGBA of equal length. */
export function differenceOf(a: Uint8ClampedArray, b: Uint8ClampedArray, gain: number): Difference {
  const pixels = new Uint8ClampedArray(a.length);
  let largest = 0;
  let sum = 0;
  let differing = 0;
  for (let i = 0; i < a.length; i += 4) {
    const red = Math.abs((a[i] as number) - (b[i] as number));
    const green = Math.abs((a[i + 1] as number) - (b[i + 1] as number));
    const blue = Math.abs((a[i + 2] as number) - (b[i + 2] as number));
    const alpha = Math.abs((a[i + 3] as number) - (b[i + 3] as number));
    pixels[i] = red * gain;
    pixels[i + 1] = green * gain;
    pixels[i + 2] = blue * gain;
    pixels[i + 3] = 255;
    sum += red + green + blue;
    const most = Math.max(red, green, blue, alpha);
    if (most > 0) differing++;
    if (most > largest) largest = most;
  }
  return { pixels, largest, mean: a.length ? sum / ((a.length / 4) * 3) : 0, differing };
}

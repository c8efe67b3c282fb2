import { fitBitmap, NO_PIXELS, rgbOf, watchPixels, type PixelSize } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { AudioParts } from './board';
import { clockText, spectrogramPixels, waveform, type Clip } from './clip';

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

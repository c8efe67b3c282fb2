import { Button, type Page } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface MovingPictureProps {
  readonly page: Page;
  readonly address: string;
}

/** A GIF that can be stopped, and is from the start where the user wants no motion; then its first frame shows. */
export function MovingPicture({ page, address }: MovingPictureProps): JSX.Element {
  const plays = useSignal(!matchMedia('(prefers-reduced-motion: reduce)').matches);
  const failed = useSignal('');
  const still = useRef<HTMLCanvasElement>(null);
  const isPlaying = plays.value && page.visible.value;
  useEffect(() => {
    if (isPlaying) return;
    const first = new Image();
    first.src = address;
    const drawn = first.decode().then(
      () => {
        const { current: canvas } = still;
        if (!canvas) return;
        [canvas.width, canvas.height] = [first.naturalWidth, first.naturalHeight];
        canvas.getContext('2d')?.drawImage(first, 0, 0);
      },
      () => (failed.value = address),
    );
    return () => void drawn;
  }, [isPlaying, address]);
  if (failed.value === address) return <p class="refusal">{page.t('picture.failed')}</p>;
  return (
    <>
      {isPlaying ? (
        <img class="fitted" src={address} alt={page.t('kind.picture')} onError={() => (failed.value = address)} />
      ) : (
        <canvas ref={still} class="fitted" role="img" aria-label={page.t('kind.picture')} />
      )}
      <span class="over">
        <Button
          action="motion"
          icon={plays.value ? 'pause' : 'play'}
          label={page.t(plays.value ? 'picture.stop' : 'picture.play')}
          onPress={() => (plays.value = !plays.value)}
        />
      </span>
    </>
  );
}

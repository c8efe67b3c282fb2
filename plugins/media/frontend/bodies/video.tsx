import type { Page } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface VideoProps {
  readonly page: Page;
  readonly address: string;
}

/** A video with the browser's controls; it stops while another tab is in front. */
export function Video({ page, address }: VideoProps): JSX.Element {
  const element = useRef<HTMLVideoElement>(null);
  const failed = useSignal('');
  const visible = page.visible.value;
  useEffect(() => {
    if (!visible) element.current?.pause();
  }, [visible]);
  if (failed.value === address) return <p class="refusal">{page.t('video.failed')}</p>;
  return (
    <video
      ref={element}
      class="fitted"
      src={address}
      controls
      loop
      muted
      playsInline
      preload="metadata"
      aria-label={page.t('kind.video')}
      onError={() => (failed.value = address)}
    />
  );
}

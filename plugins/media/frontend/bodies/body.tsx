/** What is in a card, by the kind of its item. */
import { Button, ErrorCell, message, type CardKey, type Page } from '@insight-host/kit';
import { rendered } from '@insight-host/kit/markdown';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { BodyProps, Item } from '../board';

type Later = (props: BodyProps) => JSX.Element;

/** Parts of the tab that are loaded when one of their kind is first looked at. */
const LATER: Readonly<Partial<Record<Item['kind'], () => Promise<{ readonly default: unknown }>>>> = {
  table: () => import('./table_body'),
  confusion: () => import('./confusion'),
  plotly: () => import('../figures/figure_body'),
  vega: () => import('../figures/figure_body'),
};

/** The content of a record, as its kind is shown. */
export function Body(props: BodyProps & { readonly isFresh: boolean }): JSX.Element {
  const { item, source, board, isFresh } = props;
  // the address is that of the slider, which may be ahead of the answer
  const address = useSignal('');
  if (isFresh || address.value === '') address.value = source();
  switch (item.kind) {
    case 'video':
      return <Video page={board.page} address={address.value} />;
    case 'picture':
      return <MovingPicture page={board.page} address={address.value} />;
    case 'html':
      return <PageFrame page={board.page} card={props.card} address={address.value} />;
    case 'text':
      return <Prose text={item.text} label={board.page.t('kind.text')} />;
    default:
      return <LoadedLater key={item.kind} {...props} />;
  }
}

function LoadedLater(props: BodyProps): JSX.Element | null {
  const shown = useSignal<{ readonly View: Later } | null>(null);
  const failure = useSignal<string | null>(null);
  const load = (): void => {
    failure.value = null;
    LATER[props.item.kind]?.().then(
      ({ default: View }) => (shown.value = { View: View as Later }),
      (error: unknown) => (failure.value = message(error)),
    );
  };
  useEffect(load, []);
  if (failure.value !== null)
    return <ErrorCell page={props.board.page} card={props.card} reason={failure.value} onRetry={load} />;
  return shown.value && <shown.value.View {...props} />;
}

interface MovingPictureProps {
  readonly page: Page;
  readonly address: string;
}

/** A GIF that can be stopped, and is from the start where the user wants no motion; then its first frame shows. */
function MovingPicture({ page, address }: MovingPictureProps): JSX.Element {
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

interface PageFrameProps {
  readonly page: Page;
  readonly card: CardKey;
  readonly address: string;
}

/**
 * HTML in a frame of no origin, which loads nothing. Its scripts run only when the user asks for it, until the card
 * leaves the screen; the answer of the host has the same sandbox and a policy.
 */
function PageFrame({ page, card, address }: PageFrameProps): JSX.Element {
  const scripts = useSignal(false);
  const { value: runs } = scripts;
  return (
    <>
      <iframe
        key={String(runs)}
        class="page"
        title={page.t('html.frame', { tag: page.titleOf(card.tag) })}
        sandbox={runs ? 'allow-scripts' : ''}
        referrerpolicy="no-referrer"
        src={runs ? `${address}&scripts=1` : address}
      />
      <span class="over">
        <Button
          action="scripts"
          icon={runs ? 'pause' : 'play'}
          text={page.t('html.scripts')}
          label={page.t('html.scripts.hint')}
          pressed={runs}
          onPress={() => (scripts.value = !runs)}
        />
      </span>
    </>
  );
}

interface ProseProps {
  readonly text: string;
  readonly label: string;
}

/** Markdown, sanitised. */
function Prose({ text, label }: ProseProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(rendered(text)), [text]);
  return <div ref={place} class="prose markdown" tabIndex={0} role="group" aria-label={label} />;
}

interface VideoProps {
  readonly page: Page;
  readonly address: string;
}

/** A video with the browser's controls; it stops while another tab is in front. */
function Video({ page, address }: VideoProps): JSX.Element {
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

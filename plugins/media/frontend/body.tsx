import { ErrorCell, message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { BodyProps } from './board';
import { PageFrame } from './bodies/page_frame';
import { MovingPicture } from './bodies/moving_picture';
import { Prose } from './bodies/prose';
import { Video } from './bodies/video';
import type { Item } from './item';

type Later = (props: BodyProps) => JSX.Element;

/** Parts of the tab that are loaded when one of their kind is first looked at. */
const LATER: Readonly<Partial<Record<Item['kind'], () => Promise<{ readonly default: unknown }>>>> = {
  table: () => import('./bodies/table_body'),
  confusion: () => import('./bodies/confusion'),
  plotly: () => import('./figures/figure_body'),
  vega: () => import('./figures/figure_body'),
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

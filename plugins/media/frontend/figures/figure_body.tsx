import { ErrorCell, message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { BodyProps, ItemOf } from '../board';
import { lookOf, type Draw } from './look';

const REST = 120; // ms without a change of the size before a figure is drawn again

const LIBRARIES: Readonly<Record<'plotly' | 'vega', () => Promise<{ readonly draw: Draw }>>> = {
  plotly: () => import('./plotly'),
  vega: () => import('./vega'),
};

/** A figure of Plotly or Vega-Lite, drawn by its library, which is loaded from the host when one is first looked at. */
export default function FigureBody({ board, card, item }: BodyProps<ItemOf<'plotly' | 'vega'>>): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const size = useSignal<readonly [number, number]>([0, 0]);
  const state = useSignal<'busy' | 'drawn' | Error>('busy');
  const theme = board.page.theme.value;
  const [width, height] = size.value;
  useEffect(() => {
    const { current: element } = host;
    if (!element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const measure = (): void => {
      const { clientWidth, clientHeight } = element;
      if (clientWidth > 0 && (clientWidth !== size.peek()[0] || clientHeight !== size.peek()[1]))
        size.value = [clientWidth, clientHeight];
    };
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(measure, REST);
    });
    measure();
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, []);
  useEffect(() => {
    const { current: element } = host;
    if (!element || width === 0) return;
    const place = document.createElement('div');
    place.className = 'figure';
    let dispose: (() => void) | undefined;
    let isGone = false;
    state.value = 'busy';
    LIBRARIES[item.kind]()
      .then(({ draw }) => {
        if (isGone) return undefined;
        element.replaceChildren(place);
        return draw(place, item.figure, lookOf(theme, width, height));
      })
      .then(
        (made) => {
          if (isGone) made?.();
          else [dispose, state.value] = [made, 'drawn'];
        },
        (error: unknown) => {
          if (!isGone) state.value = error instanceof Error ? error : new Error(message(error));
        },
      );
    return () => {
      isGone = true;
      dispose?.();
      place.remove();
    };
  }, [item, theme, width, height]);
  const failed = state.value instanceof Error ? state.value.message : null;
  return (
    <>
      <div
        ref={host}
        class="figure-place"
        data-state={failed === null ? state.value : 'failed'}
        tabIndex={0}
        role="group"
        aria-label={board.page.titleOf(card.tag)}
        hidden={failed !== null}
      />
      {failed !== null && <ErrorCell page={board.page} card={card} reason={failed} />}
    </>
  );
}

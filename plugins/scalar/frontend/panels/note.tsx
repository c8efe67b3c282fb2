import { addStyles, CardHead } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLater } from '../later';
import type { PanelProps } from './kinds';

/** Markdown that a user wrote. */
export function Note({ board, card, panel, tools }: PanelProps): JSX.Element {
  const markdown = useLater(board, () => import('@insight-host/kit/markdown'));
  const place = useRef<HTMLDivElement>(null);
  const text = panel.text ?? '';
  useEffect(() => (markdown ? addStyles(board.page.ctx, markdown.markdownStyles) : undefined), [markdown]);
  useLayoutEffect(() => {
    place.current?.replaceChildren(markdown ? markdown.rendered(text) : text);
  }, [markdown, text]);
  return (
    <>
      <CardHead board={board} card={card}>
        {tools}
      </CardHead>
      <div class="view note markdown" tabIndex={0} role="group" aria-label={board.page.titleOf(card.tag)} ref={place} />
    </>
  );
}

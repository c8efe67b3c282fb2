import { useSignal } from '@preact/signals';
import { backToTable } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { LineageBoard } from './board';

const MARKS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** One of the page's ten signs. */
export function Mark({ board, mark }: { readonly board: LineageBoard; readonly mark: number }): JSX.Element {
  return <span class="mark" ref={(element: HTMLElement | null) => element?.replaceChildren(...(mark > 0 ? [board.ctx.ui.icon(`mark-${mark}`)] : []))} />;
}

/** The sign of a run; a press chooses another. */
export function MarkPicker({ board, run }: { readonly board: LineageBoard; readonly run: string }): JSX.Element {
  const place = useSignal<DOMRect | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const mark = board.runsByName.value.get(run)?.mark ?? 0;
  const say = board.t.bind(board);
  // before it is painted: who sees the list may press a key that is meant for it
  useLayoutEffect(() => {
    if (!place.value) return;
    list.current?.querySelector<HTMLElement>('[aria-checked=true]')?.focus();
    const close = (event: Event): void => {
      const inside = list.current?.contains(event.target as Node) || button.current?.contains(event.target as Node);
      if (event.type === 'scroll' || !inside) place.value = null;
    };
    addEventListener('pointerdown', close);
    addEventListener('scroll', close, true);
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('scroll', close, true);
    };
  }, [place.value]);
  const leave = (): void => {
    backToTable(button.current);
    place.value = null;
  };
  const choose = (next: number): void => {
    leave();
    if (next !== mark) board.annotate(run, { mark: next });
  };
  return (
    <>
      <button ref={button} type="button" tabIndex={-1} class={mark ? 'mark-button' : 'mark-button empty'} data-action="mark" data-mark={mark} disabled={!board.writable.value} aria-label={say('mark.choose')} title={say('mark.choose')} onClick={(event) => (place.value = place.value ? null : event.currentTarget.getBoundingClientRect())}>
        <Mark board={board} mark={mark || 1} />
      </button>
      {place.value && (
        <div
          ref={list}
          class="mark-list"
          role="radiogroup"
          aria-label={say('mark.choose')}
          style={{ left: `${place.value.left}px`, top: `${Math.min(place.value.bottom + 4, innerHeight - 44)}px` }}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Escape') leave();
            const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
            const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
            const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
            if (step) buttons[(at + step + buttons.length) % buttons.length]?.focus();
          }}
        >
          {MARKS.map((one) => (
            <button key={one} type="button" role="radio" aria-checked={one === mark} data-mark={one} aria-label={one ? say('mark.number', { mark: one }) : say('mark.none')} onClick={() => choose(one)}>
              {one ? <Mark board={board} mark={one} /> : '∅'}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

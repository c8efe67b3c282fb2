/** A panel at its place: what it shows, and what arranges it. */
import { useSignal } from '@preact/signals';
import { CardGuard, CardHead, Menu, sameCard, type CardKey, type MenuItem } from '@insight-host/kit';
import { useTabWithin } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ScalarParts } from '../board';
import { byHead, carry } from '../arranging';
import { Corner } from '../corner';
import type { PanelKind } from './kinds';
import { COLUMNS, keyOf, panelOf, type Panel } from './panels';
import { resized, resizedBy, sizeOf, spanOn, USUAL, type PanelSize } from './sizing';

const AROUND = 300; // pixels above and below the screen in which panels are drawn

interface PanelFrameProps {
  readonly board: ScalarParts;
  readonly panel: Panel;
  readonly kinds: readonly PanelKind[];
  /** Its place among the panels of the user, and how many there are; null for one that a log brings. */
  readonly at: { readonly place: number; readonly count: number } | null;
  /** Of the board, in pixels. */
  readonly boardWidth: number;
}

export function PanelFrame({ board, panel, kinds, at, boardWidth }: PanelFrameProps): JSX.Element {
  const place = useRef<HTMLElement>(null);
  const card = useMemo<CardKey>(() => ({ tag: keyOf(panel), run: null }), [panel.id]);
  const full = sameCard(board.cards.full.value, card);
  const changing = useSignal<PanelSize | null>(null); // while the corner is dragged
  const size = changing.value ?? sizeOf(panel);
  const isNear = useNear(place);
  useTabWithin(place, full && board.page.visible.value);
  const isCurrent = (): void => void (board.cards.current.value = card);
  const kind = kinds.find((one) => one.kind === panel.kind);
  const title = board.page.titleOf(card.tag);
  const tools = <PanelMenu board={board} panel={panel} at={at} />;
  const style = full ? {} : { gridColumn: `span ${spanOn(boardWidth, size.width)}`, height: `${size.height}px` };
  const move = at ? (event: PointerEvent): void => arrange(event, board, panel) : undefined;
  return (
    <section
      ref={place}
      class={full ? 'card panel full' : 'card panel'}
      style={style}
      data-testid="panel"
      data-panel={panel.id}
      data-kind={panel.kind}
      aria-label={title}
      onPointerEnter={isCurrent}
      onFocusIn={isCurrent}
      {...(move && !full ? { onPointerDown: move } : {})}
    >
      {!kind ? (
        <>
          <CardHead board={board} card={card}>
            {tools}
          </CardHead>
          <div class="view unknown">{board.page.t('panel.unknown', { kind: panel.kind })}</div>
        </>
      ) : isNear || full ? (
        <CardGuard page={board.page} card={card}>
          <kind.Body board={board} panel={panel} card={card} place={place} tools={tools} />
        </CardGuard>
      ) : (
        <CardHead board={board} card={card}>
          {tools}
        </CardHead>
      )}
      {at && !full && (
        <Corner
          label={board.page.t('panel.resize', { title })}
          onMove={(dx, dy) => (changing.value = resized(sizeOf(panel), dx, dy, boardWidth))}
          onEnd={(isKept) => {
            const { value: chosen } = changing;
            changing.value = null;
            if (isKept && chosen) board.panels.resize(panel.id, chosen);
          }}
          onKey={(key) => {
            const next = resizedBy(key, sizeOf(panel));
            if (next) board.panels.resize(panel.id, next);
            return next !== null;
          }}
        />
      )}
    </section>
  );
}

/** Whether an element is near the screen. */
function useNear(place: { readonly current: HTMLElement | null }): boolean {
  const isNear = useSignal(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => (isNear.value = entries.at(-1)?.isIntersecting ?? isNear.value),
      { rootMargin: `${AROUND}px 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return isNear.value;
}

function PanelMenu({ board, panel, at }: Pick<PanelFrameProps, 'board' | 'panel' | 'at'>): JSX.Element {
  const { panels, page } = board;
  const item = (action: string, onPress: () => void): MenuItem => ({
    action,
    text: page.t(`panel.${action}`),
    onPress,
  });
  const items = (): readonly MenuItem[] => {
    const copy = panelOf(panel);
    if (!at) return copy ? [item('keep', () => void panels.add(copy))] : [];
    const { place, count } = at;
    const isWide = sizeOf(panel).width === COLUMNS;
    return [
      item('edit', () => (board.dialog.value = { kind: 'panel', tag: keyOf(panel) })),
      ...(copy ? [item('duplicate', () => void panels.add(copy))] : []),
      ...(place > 0 ? [item('earlier', () => panels.move(panel.id, place - 1))] : []),
      ...(place < count - 1 ? [item('later', () => panels.move(panel.id, place + 1))] : []),
      item(isWide ? 'narrow' : 'wide', () => panels.resize(panel.id, { width: isWide ? USUAL : COLUMNS })),
      item('remove', () => panels.remove(panel.id)),
    ];
  };
  const label = page.t('panel.menu', { title: page.titleOf(keyOf(panel)) });
  return <Menu action="panel-menu" icon="more" label={label} items={items} />;
}

/** Panels are dragged by their heads. */
function arrange(event: PointerEvent, { panels }: ScalarParts, panel: Panel): void {
  const placeOf = (element: HTMLElement): number =>
    panels.own.value.findIndex(({ id }) => id === element.dataset['panel']);
  carry(event, {
    from: byHead('[data-panel]'),
    over: (under) => {
      const found = under.closest<HTMLElement>('[data-panel]');
      return found && placeOf(found) >= 0 ? found : null;
    },
    drop: (_, to) => panels.move(panel.id, placeOf(to)),
  });
}

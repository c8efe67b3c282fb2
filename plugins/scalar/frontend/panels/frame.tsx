/** A panel at its place: what it shows, and what arranges it. */
import { CardGuard, CardHead, Menu, sameCard, type CardKey, type MenuItem } from '@insight-host/kit';
import { useTabWithin } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ScalarParts } from '../board';
import { byHead, carry, Corner } from '../card/arranging';
import type { PanelKind } from './kinds';
import { COLUMNS, HEIGHT, keyOf, panelOf, type Panel } from './panels';

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

const GAP = 12; // pixels between panels
const LEAST = 280; // pixels: narrower ones cannot be read
/** Sizes of panels: twelfths of the width of the board, and pixels. */
const USUAL = 4; // twelfths

interface PanelSize {
  readonly width: number;
  readonly height: number;
}

/** The size of a panel as the user chose it, else the usual one. */
function sizeOf({ width, height }: Pick<Panel, 'width' | 'height'>): PanelSize {
  return { width: width ?? USUAL, height: height ?? HEIGHT.usual };
}

/** How many twelfths a panel takes on a board so wide: at least as many as it needs to be read. */
export function spanOn(board: number, width: number): number {
  const least = Math.ceil((COLUMNS * (LEAST + GAP)) / Math.max(1, board + GAP));
  return Math.min(COLUMNS, Math.max(width, board > 0 ? least : 1));
}

/** The size after the corner of a panel was moved by so many pixels. */
export function resized(from: PanelSize, dx: number, dy: number, board: number): PanelSize {
  const column = (board + GAP) / COLUMNS;
  return bounded({ width: spanOn(board, from.width) + Math.round(dx / column), height: from.height + dy });
}

const KEYS: Readonly<Record<string, readonly [width: number, height: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, HEIGHT.step],
  ArrowUp: [0, -HEIGHT.step],
  End: [COLUMNS, 0],
  Home: [-COLUMNS, 0],
};

/** The size after a key; null if the key does not resize. */
export function resizedBy(key: string, { width, height }: PanelSize): PanelSize | null {
  const [more, taller] = KEYS[key] ?? [];
  return more === undefined || taller === undefined ? null : bounded({ width: width + more, height: height + taller });
}

function bounded({ width, height }: PanelSize): PanelSize {
  const even = HEIGHT.step * Math.round(height / HEIGHT.step);
  return {
    width: Math.min(COLUMNS, Math.max(1, width)),
    height: Math.min(HEIGHT.most, Math.max(HEIGHT.least, even)),
  };
}

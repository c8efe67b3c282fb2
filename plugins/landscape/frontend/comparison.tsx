import { Button, Empty, ErrorCell } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { retry, type LandscapeParts } from './board';
import { useLook } from './picture';
import type { Item, Look } from './plan';
import { frontFirst, levelsBehind, strideOf } from './plan_lines';
import { css, rampColor } from './ramps';
import { levelsOf, scaleTexts } from './scale';
import { Stage } from './stage';
import { ownLook, Summary } from './summary';
import { blankText, lossesText } from './texts';

const STOPS = 16; // of the gradient that is the bar
const TICKS = 5; // numbers below it, but for the first

/** The final landscapes of the selected runs: one camera, one plane and one scale for all. */
export function Comparison({ board }: { readonly board: LandscapeParts }): JSX.Element {
  const { t: say } = board.page;
  const items = board.compared.items.value;
  const tiled = board.layout.value === 'tiled';
  const look = useLook(board, items, !tiled);
  const finals = board.compared.finals.value.length;
  if (finals === 0 && board.lists.isComing.value) return <div class="workspace" aria-busy="true" />;
  if (finals === 0) return <Empty title={say('empty.finals')} text={say('empty.finals.text')} />;
  const hidden = finals - board.compared.shown.value.length;
  return (
    <div class="workspace">
      <div class="pictures">
        {tiled && items.length > 0 && <ScaleBar look={look} />}
        {tiled ? <Tiles board={board} look={look} /> : <Overlay board={board} items={items} look={look} />}
        <p class="counts" data-testid="comparison-status">
          {[
            say('comparison.count', { shown: board.compared.shown.value.length, count: finals }),
            ...hints(board, items, look),
          ].join(' · ')}
          {hidden > 0 && (
            <button type="button" class="tool text" data-action="more" onClick={() => board.compared.more()}>
              {say('more', { count: hidden })}
            </button>
          )}
        </p>
      </div>
      {board.facts.value && items.length > 0 && <Summary board={board} items={items} look={look} />}
    </div>
  );
}

/** What else there is to know of how they are drawn. */
function hints(board: LandscapeParts, items: readonly Item[], look: Look): readonly string[] {
  const found = [];
  const stride = strideOf(look.levels, items.length);
  if (board.layout.value === 'overlaid' && look.form !== 'surface' && stride > 1)
    found.push(board.page.t('comparison.stride', { n: stride }));
  if (board.layout.value === 'overlaid') found.push(...blanks(board, items, look));
  if (look.scale.log && look.scale.low <= 0) found.push(board.page.t('status.shifted'));
  return found;
}

/** Which of the landscapes upon each other show nothing, and why. */
function blanks(
  board: LandscapeParts,
  items: readonly Item[],
  { scale, levels, form, front }: Look,
): readonly string[] {
  const all = levelsOf(scale, levels);
  const behind = levelsBehind(all, items.length);
  return frontFirst(items, front).flatMap(({ name, landscape }, at) => {
    const blank = blankText(board, landscape, form, at === 0 ? all : behind);
    return blank === null ? [] : [`${name}: ${blank}`];
  });
}

/** What the colours of all the landscapes side by side mean. */
function ScaleBar({ look: { scale, ramp } }: { readonly look: Look }): JSX.Element | null {
  if (!(scale.high > scale.low)) return null;
  const stops = Array.from({ length: STOPS + 1 }, (_, n) => css(rampColor(ramp, n / STOPS)));
  const texts = scaleTexts(scale, TICKS);
  return (
    <div class="scale" data-testid="scale" aria-hidden="true">
      <i style={{ background: `linear-gradient(to right, ${stops.join(', ')})` }} />
      {texts.map((text, n) => (
        <span key={n}>{text}</span>
      ))}
    </div>
  );
}

function Tiles({ board, look }: { readonly board: LandscapeParts; readonly look: Look }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const room = useSignal({ width: 0, height: 0 });
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    // With the scrollbar, which comes and goes with what is decided here.
    const observer = new ResizeObserver(([entry]) => {
      const box = entry?.borderBoxSize[0];
      if (box) room.value = { width: box.inlineSize, height: box.blockSize };
    });
    observer.observe(element, { box: 'border-box' });
    return () => observer.disconnect();
  }, []);
  const { columns, height } = tilingOf(room.value.width, room.value.height, board.compared.shown.value.length);
  return (
    <div
      ref={place}
      class="tiles"
      data-testid="tiles"
      style={{
        gap: `${GAP}px`,
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
        gridAutoRows: `${height}px`,
      }}
    >
      {board.compared.shown.value.map(({ run, entry, loaded }) => (
        <section
          key={run.name}
          class="card"
          data-testid="card"
          data-tag={entry.tag}
          data-card-run={run.name}
          aria-label={run.displayName}
        >
          <header>
            <h3 title={run.name} data-hover-run={run.name}>
              <i class="dot" style={{ background: run.color }} />
              <span class="run">{run.displayName}</span>
            </h3>
            <div class="tools">
              <Button
                action="analyse"
                icon="full"
                label={board.page.t('analyse', { run: run.displayName })}
                onPress={() => analyse(board, run.name, entry.id)}
              />
            </div>
          </header>
          <div class={loaded ? 'view' : 'view busy'}>
            {loaded && 'error' in loaded && (
              <ErrorCell
                page={board.page}
                card={{ tag: entry.tag, run: run.name }}
                reason={loaded.error}
                onRetry={() => retry(board)}
              />
            )}
            <Tile board={board} name={run.name} look={look} />
          </div>
        </section>
      ))}
    </div>
  );
}

function Tile({
  board,
  name,
  look,
}: {
  readonly board: LandscapeParts;
  readonly name: string;
  readonly look: Look;
}): JSX.Element | null {
  const item = board.compared.items.value.find((other) => other.run === name);
  const items = useMemo(() => (item ? [item] : []), [item]);
  const own = useMemo(() => (item ? ownLook(board, item, look) : look), [item, look, board.sameAxes.value]);
  if (!item) return null;
  const blank = blankText(board, item.landscape, own.form, levelsOf(own.scale, own.levels));
  return (
    <>
      <Stage board={board} items={items} look={own} id={name} label={stageLabel(board, items, look)} />
      {blank !== null && (
        <p class="blank" data-testid="blank">
          {blank}
        </p>
      )}
    </>
  );
}

interface ItemsProps {
  readonly board: LandscapeParts;
  readonly items: readonly Item[];
  readonly look: Look;
}

function Overlay({ board, items, look }: ItemsProps): JSX.Element {
  const errors = board.compared.shown.value.filter(({ loaded }) => loaded && 'error' in loaded);
  return (
    <section class="card main" data-testid="card" aria-label={board.page.t('layout.overlaid')}>
      <header>
        <div class="legend" role="group" aria-label={board.page.t('front')} data-testid="legend">
          {items.map(({ run, name, color }) => (
            <button
              key={run}
              type="button"
              class="tool text"
              data-action="front"
              data-run={run}
              title={`${run}\n${board.page.t('front.hint')}`}
              aria-pressed={run === board.compared.front.value}
              onClick={() => board.compared.bringToFront(run)}
            >
              <i class="dot" style={{ background: color }} />
              <span class="run">{name}</span>
            </button>
          ))}
        </div>
        <div class="tools" />
      </header>
      <div class={items.length > 0 ? 'view' : 'view busy'}>
        {items.length > 0 && (
          <Stage board={board} items={items} look={look} id="overlay" label={stageLabel(board, items, look)} />
        )}
      </div>
      {errors.map(({ run, loaded }) => (
        <footer key={run.name} class="error" data-testid="overlay-error">
          <span>{loaded && 'error' in loaded ? loaded.error : ''}</span>
        </footer>
      ))}
    </section>
  );
}

function stageLabel(board: LandscapeParts, items: readonly Item[], look: Look): string {
  return board.page.t('stage', {
    form: board.page.t(`form.${look.form}`),
    run: items.map(({ name }) => name).join(', '),
    interval: board.page.t('interval.final'),
    losses: lossesText(board, items.length === 1 && items[0] ? items[0].landscape : look.scale),
  });
}

function analyse(board: LandscapeParts, run: string, id: string): void {
  board.mode.set('analysis', 'push');
  board.page.ctx.runs.one.set(run);
  board.chosen.pickEntry(id);
}

export const GAP = 12; // pixels between tiles
const NARROWEST = 300; // pixels
const LOWEST = 240;
const [SLIMMEST, FLATTEST] = [0.75, 1.6]; // width to height, beyond which more space makes no better picture
const THINNEST = 0.5; // width to height of tiles that fill the height

interface Tiling {
  readonly columns: number;
  /** Of each tile, in pixels. */
  readonly height: number;
}

/** How `count` tiles fill a place best: without scrolling where they then are large enough to read. */
export function tilingOf(width: number, height: number, count: number): Tiling {
  const most = Math.max(1, Math.floor((width + GAP) / (NARROWEST + GAP)));
  let best: Tiling | null = null;
  let largest = 0;
  for (let columns = 1; columns <= Math.min(most, count); columns++) {
    const rows = Math.ceil(count / columns);
    const [wide, high] = [(width - GAP * (columns - 1)) / columns, (height - GAP * (rows - 1)) / rows];
    const tall = Math.min(high, wide / SLIMMEST);
    const area = Math.min(wide, tall * FLATTEST) * tall;
    if (tall < LOWEST || area <= largest) continue;
    largest = area;
    best = { columns, height: Math.floor(Math.min(high, wide / THINNEST)) };
  }
  if (best) return best;
  const columns = Math.min(most, Math.max(1, count));
  const wide = (width - GAP * (columns - 1)) / columns;
  return { columns, height: Math.round(Math.max(LOWEST, Math.min((wide * 3) / 4, height))) };
}

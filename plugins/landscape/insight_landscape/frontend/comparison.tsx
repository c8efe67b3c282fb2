import { Button, Empty, ErrorCell, valueText } from 'insight-host/kit';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LandscapeBoard } from './board';
import { Export } from './export';
import { useLook } from './look';
import type { Item, Look } from './plan';
import { sharedExtent } from './scale';
import { Stage } from './stage';

/** The final landscapes of the selected runs: one camera, one plane and one scale for all. */
export function Comparison({ board }: { readonly board: LandscapeBoard }): JSX.Element {
  const say = board.t.bind(board);
  const items = board.comparedItems.value;
  const look = useLook(board, items);
  const finals = board.finals.value.length;
  if (finals === 0) return <Empty title={say('empty.finals')} text={say('empty.finals.text')} />;
  const hidden = finals - board.compared.value.length;
  return (
    <div class="workspace">
      <div class="pictures">
        {board.layout.value === 'tiled' ? <Tiles board={board} look={look} /> : <Overlay board={board} items={items} look={look} />}
        <p class="counts" data-testid="comparison-status">
          {say('comparison.count', { shown: board.compared.value.length, count: finals })}
          {hidden > 0 && <button type="button" class="tool text" data-action="more" onClick={() => board.more()}>{say('more', { count: hidden })}</button>}
        </p>
      </div>
      {board.facts.value && items.length > 0 && <Summary board={board} items={items} look={look} />}
    </div>
  );
}

function Tiles({ board, look }: { readonly board: LandscapeBoard; readonly look: Look }): JSX.Element {
  return (
    <div class="tiles" data-testid="tiles">
      {board.compared.value.map(({ run, entry, loaded }) => (
        <section key={run.name} class="card" data-testid="card" data-tag={entry.tag} data-card-run={run.name} aria-label={run.displayName}>
          <header>
            <h3 title={run.name}>
              <i class="dot" style={{ background: run.color }} />
              <span class="run">{run.displayName}</span>
            </h3>
            <div class="tools">
              <Button action="analyse" icon="full" label={board.t('analyse', { run: run.displayName })} onPress={() => analyse(board, run.name, entry.id)} />
            </div>
          </header>
          <div class={loaded ? 'view' : 'view busy'}>
            {loaded && 'error' in loaded && <ErrorCell board={board} card={{ tag: entry.tag, run: run.name }} reason={loaded.error} onRetry={() => board.retry()} />}
            <Tile board={board} name={run.name} look={look} />
          </div>
        </section>
      ))}
    </div>
  );
}

function Tile({ board, name, look }: { readonly board: LandscapeBoard; readonly name: string; readonly look: Look }): JSX.Element | null {
  const item = board.comparedItems.value.find((other) => other.name === name);
  const items = useMemo(() => (item ? [item] : []), [item]);
  const own = useMemo(() => (item ? ownLook(board, item, look) : look), [item, look, board.sameAxes.value]);
  return item ? <Stage board={board} items={items} look={own} id={name} label={stageLabel(board, items, look)} /> : null;
}

/** Side by side, each may fill its own axes; the scale of losses is always that of all. */
function ownLook(board: LandscapeBoard, item: Item, look: Look): Look {
  return board.sameAxes.value ? look : { ...look, extent: sharedExtent([item.landscape]) };
}

function Overlay({ board, items, look }: { readonly board: LandscapeBoard; readonly items: readonly Item[]; readonly look: Look }): JSX.Element {
  const errors = board.compared.value.filter(({ loaded }) => loaded && 'error' in loaded);
  return (
    <section class="card main" data-testid="card" aria-label={board.t('layout.overlaid')}>
      <header>
        <h3 class="legend" data-testid="legend">
          {items.map(({ name, color }) => (
            <span key={name} class="run beside" title={name}>
              <i class="dot" style={{ background: color }} />
              {board.nameOf(name)}
            </span>
          ))}
        </h3>
        <div class="tools" />
      </header>
      <div class={items.length > 0 ? 'view' : 'view busy'}>{items.length > 0 && <Stage board={board} items={items} look={look} id="overlay" label={stageLabel(board, items, look)} />}</div>
      {errors.map(({ run, loaded }) => (
        <footer key={run.name} class="error" data-testid="overlay-error">
          <span>{loaded && 'error' in loaded ? loaded.error : ''}</span>
        </footer>
      ))}
    </section>
  );
}

function stageLabel(board: LandscapeBoard, items: readonly Item[], look: Look): string {
  return board.t('stage', {
    form: board.t(`form.${look.form}`),
    run: items.map(({ name }) => board.nameOf(name)).join(', '),
    interval: board.t('interval.final'),
    low: valueText(look.scale.low),
    high: valueText(look.scale.high),
  });
}

function analyse(board: LandscapeBoard, run: string, id: string): void {
  board.pickRun(run);
  board.pickEntry(id);
  board.mode.set('analysis', 'push');
}

/** The runs by the loss that they ended with, the smallest first. */
function Summary({ board, items, look }: { readonly board: LandscapeBoard; readonly items: readonly Item[]; readonly look: Look }): JSX.Element {
  const say = board.t.bind(board);
  const end = ({ landscape }: Item): number => landscape.about.convergence?.[2] ?? landscape.low;
  const parts = board.layout.value === 'tiled' ? items.map((item) => ({ items: [item], title: item.name, look: ownLook(board, item, look) })) : [{ items, look, title: items.map(({ name }) => name).join(', ') }];
  return (
    <aside class="side" data-testid="summary" aria-label={say('facts')}>
      <h4>
        {say('facts')}
        <Export board={board} parts={parts} name="landscapes" />
      </h4>
      {[...items].sort((a, b) => end(a) - end(b)).map((item) => {
        const { facts, convergence, decomposition } = item.landscape.about;
        const words = [facts.network, facts.optimizer, typeof facts.learning_rate === 'number' ? `${say('facts.learning_rate')} ${valueText(facts.learning_rate)}` : null, decomposition || null];
        const metrics = Object.entries(facts.metric).flatMap(([name, value]) => (typeof value === 'number' ? [`${name} ${valueText(value)}`] : []));
        return (
          <div key={item.name} class="summary" data-run={item.name}>
            <strong title={item.name}>
              <i class="dot" style={{ background: item.color }} />
              {board.nameOf(item.name)}
            </strong>
            <span>{convergence ? `${say('facts.convergence')} ${valueText(convergence[2])}` : ''}</span>
            <span>{say('status.range', { low: valueText(item.landscape.low), high: valueText(item.landscape.high) })}</span>
            <span>{[...words, ...metrics].filter((word) => word !== null).join(' · ')}</span>
          </div>
        );
      })}
    </aside>
  );
}

import { Button, Empty, ErrorCell, Icon, Select, valueText } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { retry, type LandscapeParts } from './board';
import { Export } from './export';
import { FactsPanel } from './facts_panel';
import { alongPath } from './landscape';
import { useLook } from './picture';
import { SPEEDS } from './chosen';
import type { Item } from './plan';
import { Stage } from './stage';
import { atText, intervalText, lossesText } from './texts';

/** One landscape of a run: the picture, its path over time, what is known of the training. */
export function Analysis({ board }: { readonly board: LandscapeParts }): JSX.Element {
  const { t: say } = board.page;
  const { run, entry, state, shown } = {
    run: board.chosen.run.value,
    entry: board.chosen.entry.value,
    state: board.chosen.state.value,
    shown: board.chosen.item.value,
  };
  const items = useMemo<readonly Item[]>(() => (shown ? [shown] : []), [shown]);
  const look = useLook(board, items);
  if (!entry && board.lists.isComing.value) return <div class="workspace" aria-busy="true" />;
  if (!run || !entry) return <Empty title={say('empty.nothing')} text={say('empty.nothing.text')} />;
  const title = intervalText(board, entry);
  const error = state && 'error' in state ? state.error : null;
  return (
    <div class="workspace">
      <section
        class="card main"
        data-testid="card"
        data-tag={entry.tag}
        data-card-run={run.name}
        aria-label={`${run.displayName}, ${title}`}
      >
        <header>
          <h3 title={`${run.name}\n${title}`}>
            <i class="dot" style={{ background: run.color }} />
            <span class="run beside">{run.displayName}</span>
            {title}
          </h3>
          <div class="tools" role="toolbar" aria-label={say('card.tools')}>
            {shown && (
              <Export
                board={board}
                parts={[{ items, look, title: `${run.displayName} · ${title}` }]}
                name={`${run.name} ${entry.id}`}
              />
            )}
          </div>
        </header>
        <div class={state ? 'view' : 'view busy'}>
          {error !== null ? (
            <ErrorCell
              page={board.page}
              card={{ tag: entry.tag, run: run.name }}
              reason={error}
              onRetry={() => retry(board)}
            />
          ) : (
            shown && (
              <Stage
                board={board}
                items={items}
                look={look}
                id={entry.id}
                label={say('stage', {
                  form: say(`form.${look.form}`),
                  run: run.displayName,
                  interval: title,
                  losses: lossesText(board, shown.landscape),
                })}
              />
            )
          )}
        </div>
        {shown?.landscape.path && <PathPlayer board={board} item={shown} />}
        <Status board={board} item={shown} />
      </section>
      {board.facts.value && shown && <FactsPanel board={board} item={shown} look={look} />}
    </div>
  );
}

function Status({ board, item }: { readonly board: LandscapeParts; readonly item: Item | null }): JSX.Element {
  if (!item) return <footer data-testid="card-status" />;
  const { landscape } = item;
  const bad = landscape.z.reduce((count, value) => count + (Number.isFinite(value) ? 0 : 1), 0);
  const parts = [
    board.page.t('status.size', { columns: landscape.x.length, rows: landscape.y.length }),
    lossesText(board, landscape),
  ];
  if (board.log.value && landscape.low <= 0 && landscape.high > landscape.low)
    parts.push(board.page.t('status.shifted'));
  if (bad > 0 && bad < landscape.z.length) parts.push(board.page.t('status.nonfinite', { count: bad }));
  return (
    <footer data-testid="card-status">
      <span class="counts">{parts.join(' · ')}</span>
      {(landscape.about.flaws ?? []).map(board.page.reason).map((flaw) => (
        <span key={flaw} class="flaw" data-testid="flaw" title={flaw}>
          <Icon name="warn" />
          {flaw}
        </span>
      ))}
    </footer>
  );
}

/** Plays the path, and stands still where its slider is put. */
function PathPlayer({ board, item }: { readonly board: LandscapeParts; readonly item: Item }): JSX.Element {
  const { t: say } = board.page;
  const { path, about } = item.landscape;
  const { player } = board.chosen;
  if (!path) return <></>;
  const here = alongPath(path, player.progress.value);
  const [at, loss] = [path.at[here.index] as number, path.z[here.index] as number];
  const text = `${atText(board, about.unit, at)} · ${say('loss')} ${valueText(loss)}`;
  const step = (by: number): void => player.seek(Math.round(Math.min(player.progress.value, player.last)) + by);
  return (
    <div class="player" data-testid="player">
      <Button action="path-previous" icon="previous" label={say('path.previous')} onPress={() => step(-1)} />
      <Button
        action="path-play"
        icon={player.playing.value ? 'pause' : 'play'}
        label={say(player.playing.value ? 'path.pause' : 'path.play')}
        pressed={player.playing.value}
        onPress={() => player.toggle()}
      />
      <Button action="path-next" icon="next" label={say('path.next')} onPress={() => step(1)} />
      <input
        type="range"
        min={0}
        max={player.last}
        step={1}
        data-control="path"
        aria-label={say('path.place')}
        aria-valuetext={text}
        value={Math.min(player.progress.value, player.last)}
        onInput={(event) => player.seek(Number(event.currentTarget.value))}
      />
      <span class="at" data-testid="path-at">
        {text}
      </span>
      <Select
        name="path-speed"
        label={say('path.speed')}
        value={player.speed.value}
        options={SPEEDS.map((value) => ({ value, text: `${value}×` }))}
        onPick={(speed) => (player.speed.value = speed)}
      />
    </div>
  );
}

import { Range, Segments, valueText, type Setting } from '@insight-host/kit';
import { computed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LandscapeParts } from './board';
import { Export } from './export';
import { flatnessRows, Measure, NoMinimum, useFlatness, type FlatnessAnswer } from './flatness';
import type { Item, Look } from './plan';
import { sharedExtent } from './scale';
import { lossesText } from './texts';

/** Side by side, each may fill its own axes; the scale of losses is always that of all. */
export function ownLook(board: LandscapeParts, item: Item, look: Look): Look {
  return board.sameAxes.value ? look : { ...look, extent: sharedExtent([item.landscape]) };
}

interface SummaryProps {
  readonly board: LandscapeParts;
  readonly items: readonly Item[];
  readonly look: Look;
}

const RADIUS_PARTS = 20; // steps of the radius

/** The runs, the flattest or the one with the smallest loss first. */
export function Summary({ board, items, look }: SummaryProps): JSX.Element {
  const { t: say } = board.page;
  const order = useSignal<'loss' | 'flatness'>('loss');
  const end = ({ landscape }: Item): number => {
    const loss = landscape.about.convergence?.[2] ?? landscape.low;
    return Number.isNaN(loss) ? Infinity : loss;
  };
  const { answer, error } = useFlatness(
    board,
    items.map(({ run }) => run),
    null,
  );
  const rank = new Map(answer?.runs.map(({ run }, at) => [run, at]));
  const isFlat = order.value === 'flatness';
  const place = (item: Item): number => (isFlat ? (rank.get(item.run) ?? Infinity) : end(item));
  const parts =
    board.layout.value === 'tiled'
      ? items.map((item) => ({ items: [item], title: item.name, look: { ...ownLook(board, item, look), bar: true } }))
      : [{ items, look, title: items.map(({ name }) => name).join(', ') }];
  return (
    <aside class="side" data-testid="summary" aria-label={say('facts')}>
      <h4>
        {say('facts')}
        <Export board={board} parts={parts} name="landscapes" />
      </h4>
      <Segments
        name="order"
        label={say('order')}
        value={order.value}
        options={[
          { value: 'loss', text: say('order.loss'), title: say('order.loss.hint') },
          { value: 'flatness', text: say('order.flatness'), title: say('order.flatness.hint') },
        ]}
        onPick={(picked: 'loss' | 'flatness') => (order.value = picked)}
      />
      {isFlat && answer && answer.reach > 0 && <Radius board={board} answer={answer} />}
      {isFlat && answer && <Measure board={board} answer={answer} />}
      {isFlat && error && <p class="error">{error}</p>}
      {[...items]
        .sort((a, b) => place(a) - place(b))
        .map((item) => (
          <Row key={item.run} board={board} item={item} answer={isFlat ? answer : null} />
        ))}
      {isFlat && answer?.runs.some(({ normalised }) => normalised === false) && (
        <p class="hint">{say('flatness.own')}</p>
      )}
    </aside>
  );
}

/** How far around the end the rise is measured. */
function Radius({ board, answer }: { readonly board: LandscapeParts; readonly answer: FlatnessAnswer }): JSX.Element {
  const { t: say } = board.page;
  const setting = useMemo<Setting<number>>(
    () =>
      Object.assign(
        computed(() => board.radius.value ?? answer.radius),
        { set: (value: number) => board.radius.set(value) },
      ),
    [answer],
  );
  const step = Number((answer.reach / RADIUS_PARTS).toPrecision(2));
  return (
    <Range
      name="radius"
      label={say('flatness.radius')}
      hint={say('flatness.radius.hint')}
      setting={setting}
      low={step}
      high={answer.reach}
      step={step}
      digits={Math.max(0, 1 - Math.floor(Math.log10(step)))}
    />
  );
}

function Row({
  board,
  item,
  answer,
}: {
  readonly board: LandscapeParts;
  readonly item: Item;
  readonly answer: FlatnessAnswer | null;
}): JSX.Element {
  const { t: say } = board.page;
  const { facts, convergence, decomposition } = item.landscape.about;
  const measured = answer?.runs.find(({ run }) => run === item.run);
  const words = [
    facts.network,
    facts.optimizer,
    typeof facts.learning_rate === 'number' ? `${say('facts.learning_rate')} ${valueText(facts.learning_rate)}` : null,
    decomposition || null,
  ];
  const metrics = Object.entries(facts.metric).flatMap(([name, value]) =>
    typeof value === 'number' ? [`${name} ${valueText(value)}`] : [],
  );
  return (
    <div class="summary" data-run={item.run} data-hover-run={item.run}>
      <strong title={item.run}>
        <i class="dot" style={{ background: item.color }} />
        {item.name}
      </strong>
      <span>{convergence ? `${say('facts.convergence')} ${valueText(convergence[2])}` : ''}</span>
      {answer && measured ? (
        <>
          <dl>
            {flatnessRows(board, answer, measured).map(({ name, value, hint }) => (
              <div key={name} title={hint}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          {measured.tie && <span>{say('flatness.tie')}</span>}
          <NoMinimum board={board} one={measured} />
        </>
      ) : (
        <>
          <span>{lossesText(board, item.landscape)}</span>
          <span>{[...words, ...metrics].filter((word) => word !== null).join(' · ')}</span>
        </>
      )}
    </div>
  );
}

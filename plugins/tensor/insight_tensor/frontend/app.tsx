import { AttemptsChoice, BinCountChoice, Card, Content, Groups, HistogramViewChoice, LinkSteps, Segments, StepCountChoice, TagFilter, TimeChoice, Toggle, type CardKey, type Place } from 'insight-host/kit';
import type { JSX } from 'preact';
import { SHOWS, type TensorBoard } from './board';
import { RunDistributions, SeriesDistribution } from './distribution';
import { MOST_DIGITS } from './numbers';
import { TableBody } from './table';

export function App({ board }: { readonly board: TensorBoard }): JSX.Element {
  const isTable = board.show.value === 'table';
  return (
    <div class={isTable ? 'kit tensors' : 'kit tensors distributions'} data-testid="tensors">
      <Toolbar board={board} />
      <Content board={board}>
        {() => (
          <Groups
            board={board}
            card={(card) => (
              <Card board={board} card={card}>
                {(place) => <Body board={board} card={card} place={place} />}
              </Card>
            )}
          />
        )}
      </Content>
    </div>
  );
}

function Body(props: { readonly board: TensorBoard; readonly card: CardKey; readonly place: Place }): JSX.Element {
  if (props.card.run === null) return <RunDistributions {...props} />;
  return props.board.show.value === 'table' ? <TableBody {...props} /> : <SeriesDistribution {...props} />;
}

function Toolbar({ board }: { readonly board: TensorBoard }): JSX.Element {
  const say = board.t.bind(board);
  const isTable = board.show.value === 'table';
  return (
    <div class="toolbar" role="toolbar" aria-label={say('toolbar')}>
      <TagFilter board={board} />
      <Segments name="show" label={say('show')} value={board.show.value} options={SHOWS.map((value) => ({ value, text: say(`show.${value}`) }))} onPick={(value) => board.show.set(value)} />
      {!board.isComparing.value && <TimeChoice board={board} setting={board.time} />}
      {isTable ? <TableTools board={board} /> : <HistogramTools board={board} />}
      {board.hasRestarts.value && <AttemptsChoice board={board} setting={board.attempts} />}
      <Toggle action="others" text={say('others')} label={say('others.hint')} setting={board.others} />
    </div>
  );
}

function TableTools({ board }: { readonly board: TensorBoard }): JSX.Element {
  const say = board.t.bind(board);
  const notations = (['fixed', 'scientific'] as const).map((value) => ({ value, text: say(`notation.${value}`), title: say(`notation.${value}.hint`) }));
  return (
    <>
      <Segments name="notation" label={say('notation')} value={board.notation.value} options={notations} onPick={(value) => board.notation.set(value)} />
      <label class="range" title={say('digits.hint')}>
        <span>{say('digits')}</span>
        <input
          type="number"
          min={0}
          max={MOST_DIGITS}
          step={1}
          data-control="digits"
          aria-label={say('digits.hint')}
          value={board.digits.value}
          onInput={({ currentTarget: { value } }) => /^\d+$/.test(value) && board.digits.set(Math.min(MOST_DIGITS, Number(value)))}
        />
      </label>
      <Toggle action="heat" text={say('heat')} label={say('heat.hint')} setting={board.heat} />
      <LinkSteps board={board} />
    </>
  );
}

function HistogramTools({ board }: { readonly board: TensorBoard }): JSX.Element {
  const say = board.t.bind(board);
  const compare = board.compare.value;
  const many = [...board.runsByTag.value.values()].some((runs) => runs.length > 1);
  return (
    <>
      {!compare && <HistogramViewChoice board={board} setting={board.view} />}
      {!compare && <StepCountChoice board={board} setting={board.stepCount} />}
      <BinCountChoice board={board} setting={board.binCount} />
      <Toggle action="outliers" text={say('outliers.short')} label={say('outliers.hint')} setting={board.outliers} />
      {!compare && many && <Toggle action="range" text={say('range.short')} label={say('range.hint')} setting={board.sameRange} />}
      {(compare || many) && <Toggle action="compare" icon="compare" text={say('compare.short')} label={say('compare.hint')} setting={board.compare} />}
      {compare && <LinkSteps board={board} />}
    </>
  );
}

import { AttemptsChoice, BinCountChoice, Card, Content, Groups, HistogramViewChoice, LinkSteps, StepCountChoice, TagFilter, TimeChoice, Toggle } from 'insight-host/kit';
import type { JSX } from 'preact';
import type { HistogramBoard } from './board';
import { ComparisonBody } from './comparison';
import { SeriesBody } from './series';

export function App({ board }: { readonly board: HistogramBoard }): JSX.Element {
  return (
    <div class="kit histograms" data-testid="histograms">
      <Toolbar board={board} />
      <Content board={board}>
        {() => (
          <Groups
            board={board}
            card={(card) => (
              <Card board={board} card={card}>
                {(place) => (card.run === null ? <ComparisonBody board={board} card={card} place={place} /> : <SeriesBody board={board} card={card} run={card.run} place={place} />)}
              </Card>
            )}
          />
        )}
      </Content>
    </div>
  );
}

function Toolbar({ board }: { readonly board: HistogramBoard }): JSX.Element {
  const say = board.t.bind(board);
  const compare = board.compare.value;
  const many = [...board.runsByTag.value.values()].some((runs) => runs.length > 1);
  return (
    <div class="toolbar" role="toolbar" aria-label={say('toolbar')}>
      <TagFilter board={board} />
      {!compare && <HistogramViewChoice board={board} setting={board.view} />}
      {!compare && <TimeChoice board={board} setting={board.time} />}
      {!compare && <StepCountChoice board={board} setting={board.stepCount} />}
      <BinCountChoice board={board} setting={board.binCount} />
      {board.hasRestarts.value && <AttemptsChoice board={board} setting={board.attempts} />}
      <Toggle action="outliers" text={say('outliers.short')} label={say('outliers.hint')} setting={board.outliers} />
      {!compare && many && <Toggle action="range" text={say('range.short')} label={say('range.hint')} setting={board.sameRange} />}
      {(compare || many) && <Toggle action="compare" icon="compare" text={say('compare.short')} label={say('compare.hint')} setting={board.compare} />}
      {compare && <LinkSteps board={board} />}
    </div>
  );
}

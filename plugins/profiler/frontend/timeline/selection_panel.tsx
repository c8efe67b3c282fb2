/** What ran in a stretch of the timeline, by name. */
import { Button } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { TableAnswer } from '../answers/table';
import { ServerTable, valueOf } from '../table/server_table';
import { countText, shareText, timeText } from '../units';
import { categoryText } from '../words';
import type { Stage } from './stage';
import { lengthOf, type Range } from './span';

interface SelectionAnswer extends TableAnswer {
  readonly slices: number;
  /** How long at least one of them ran, ns. */
  readonly busy: number;
}

export function SelectionPanel({ stage, range }: { readonly stage: Stage; readonly range: Range }): JSX.Element {
  const { state } = stage;
  const { board } = state;
  const { t: say } = state.page;
  const locale = state.page.locale.value;
  const text = (answer: SelectionAnswer): string =>
    say('timeline.selection.status', {
      length: timeText(lengthOf(range), locale),
      slices: countText(answer.slices, locale),
      busy: shareText(answer.busy / lengthOf(range), locale),
    });
  return (
    <section class="timeline-selection" data-testid="timeline-selection" aria-label={say('timeline.selection')}>
      <ServerTable<SelectionAnswer>
        board={board}
        name="selection"
        label={say('timeline.selection')}
        route="selection"
        query={{ from: Math.floor(range.from), to: Math.ceil(range.to), tracks: range.tracks?.join() ?? null }}
        settings={state.selectionTable}
        sort="-self"
        order={['name', 'category', 'count', 'total', 'self', 'share']}
        titles={{ category: say('timeline.category') }}
        views={{ category: (cell) => <>{categoryText(board, String(cell))}</> }}
        status={text}
        onOpen={(row, answer) => {
          state.search.regex.set(false);
          state.search.text.set(String(valueOf(answer, row, 'name') ?? ''));
        }}
        tools={
          <>
            <strong>
              {range.tracks
                ? say('timeline.selection.tracks', { count: range.tracks.length })
                : say('timeline.selection.all')}
            </strong>
            <Button action="fit-range" icon="box" label={say('timeline.fit')} onPress={() => state.look(range)} />
            <Button
              action="clear-range"
              icon="close"
              label={say('timeline.selection.close')}
              onPress={() => board.range.set(null)}
            />
          </>
        }
      />
    </section>
  );
}

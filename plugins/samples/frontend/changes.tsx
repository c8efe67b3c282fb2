/** What changed between two steps, or two runs: prompts whose score changed most, and what was said as a difference. */
import { Empty, Select } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Pair } from './answers';
import type { SamplesBoard } from './board';
import { short } from './charts';
import { DiffOf } from './difference';
import { inOneLine, lastLine } from './list';

interface ChangesProps {
  readonly board: SamplesBoard;
}

export function ChangesView({ board }: ChangesProps): JSX.Element {
  const { t: say } = board.page;
  const chosen = useSignal<string | null>(null);
  const answer = board.changes.answer.value?.value;
  const failure = board.changes.error.value?.reason ?? null;
  const others = board.withSamples.value.filter(({ name }) => name !== board.run.value);
  const pair = answer?.pairs.find(({ after }) => after.id === chosen.value) ?? answer?.pairs[0] ?? null;
  return (
    <div class="panes">
      <div class="pane list changes" data-testid="changes">
        <header>
          <Select
            name="from"
            label={say('from')}
            value={board.first.value ?? 0}
            options={board.steps.value.slice(0, 500).map((value) => ({ value, text: say('from.at', { step: value }) }))}
            onPick={(value) => board.from.set(value)}
          />
          {others.length > 0 && (
            <Select
              name="other"
              label={say('other')}
              value={board.other.value === null ? '' : `=${board.other.value}`}
              options={[
                { value: '', text: say('other.none') },
                ...others.map(({ name }) => ({ value: `=${name}`, text: board.page.nameOf(name) })),
              ]}
              onPick={(value) => board.other.set(value === '' ? null : value.slice(1))}
            />
          )}
        </header>
        {failure !== null && <Empty title={say('failure')} text={failure} />}
        {answer && failure === null && (
          <>
            <p class="summary" role="status" data-testid="changes-summary">
              {say('shared', { count: answer.shared })}
              {' · '}
              <span class="rose">{say('rose', { count: answer.rose })}</span>
              {' · '}
              <span class="fell">{say('fell', { count: answer.fell })}</span>
              {answer.flips[0] + answer.flips[1] > 0 &&
                ` · ${say('flips', { up: answer.flips[0], down: answer.flips[1] })}`}
            </p>
            {answer.shared === 0 && <Empty title={say('none_shared')} text={say('none_shared.text')} />}
            <ol class="pairs">
              {answer.pairs.map((one) => (
                <PairLine
                  key={one.after.id}
                  pair={one}
                  isShown={one === pair}
                  onPick={() => (chosen.value = one.after.id)}
                />
              ))}
            </ol>
          </>
        )}
      </div>
      <section class="pane detail" aria-label={say('difference')} aria-busy={board.changes.busy.value}>
        {pair && <DiffOf board={board} before={pair.before} after={pair.after} run={board.other.value} asks />}
      </section>
    </div>
  );
}

interface PairLineProps {
  readonly pair: Pair;
  readonly isShown: boolean;
  readonly onPick: () => void;
}

function PairLine({ pair: { before, after, means, counts }, isShown, onPick }: PairLineProps): JSX.Element {
  const [was, is] = means;
  const change = was === null || is === null ? 0 : is - was;
  return (
    <li>
      <button type="button" aria-pressed={isShown} onClick={onPick} data-id={after.id}>
        <span
          class={change > 0 ? 'means rose' : change < 0 ? 'means fell' : 'means'}
          title={`× ${counts.join(', × ')}`}
        >
          {was === null ? '–' : short(was)} → {is === null ? '–' : short(is)}
        </span>
        <span class="said">
          <span class="asked">{lastLine(before.asked)}</span>
          <span class="answer">{inOneLine(after.said ?? '')}</span>
        </span>
      </button>
    </li>
  );
}

/** Two samples as a difference of words, and what the head of each says. */
import { Empty, useAnswer, type Asked } from '@insight-host/kit';
import { diffWords } from '@insight-host/kit/texts';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { loadSample, textOf, type Line, type NamedSample } from './answers';
import type { SamplesBoard } from './board';
import { short } from './charts';
import { Turn } from './turns';

interface LineProps {
  readonly board: SamplesBoard;
  readonly line: Line;
}

/** A sample at the head of a column: its step, scores and length. */
export function LineFacts({ board, line }: LineProps): JSX.Element {
  const { t: say } = board.page;
  const { value: score } = board.score;
  return (
    <span class="line-facts">
      <span>{say('step.at', { step: line.step })}</span>
      {Object.entries(line.scores)
        .filter(([name], at) => name === score || at < 3)
        .map(([name, value]) => (
          <span key={name}>
            {name} <b>{value === null ? '–' : short(value)}</b>
          </span>
        ))}
      {line.advantage !== null && (
        <span>
          {say('advantage')} <b class={line.advantage < 0 ? 'fell' : 'rose'}>{short(line.advantage)}</b>
        </span>
      )}
      <span>
        {say('length')} <b>{line.length === null ? '–' : short(line.length)}</b>
      </span>
      {line.signs.map((sign) => (
        <span key={sign} class={`sign ${sign}`}>
          {say(`sign.${sign}`)}
        </span>
      ))}
    </span>
  );
}

/** A sample whole, for as long as its line is shown; of the run and the source that are shown by default. */
export function useSample(
  board: SamplesBoard,
  line: Line,
  run: string = board.run.value ?? '',
  source = board.source.value,
): Asked<NamedSample> {
  const of = { run, source, id: line.id, size: line.size };
  return useAnswer(JSON.stringify(of), (signal) => loadSample(board.page, of, signal));
}

interface DiffOfProps {
  readonly board: SamplesBoard;
  readonly before: Line;
  readonly after: Line;
  /** Of the sample after; null: the run that is shown. */
  readonly run?: string | null;
  /** Whether the prompt is shown, too. */
  readonly asks?: boolean;
}

/** What was said before and after, word by word; both whole when asked for. */
export function DiffOf({ board, before, after, run = null, asks = false }: DiffOfProps): JSX.Element {
  const { t: say } = board.page;
  const beside = useSignal(false);
  const first = useSample(board, before);
  const second = useSample(board, after, run ?? undefined, run === null ? undefined : '');
  const shown = useRef<readonly [before: NamedSample, after: NamedSample] | null>(null);
  // both of the same pair: until then the pair before stays
  if (first.isFresh && second.isFresh && first.value && second.value) shown.current = [first.value, second.value];
  const [was, is] = shown.current ?? [null, null];
  const pieces = useMemo(
    () => (was && is ? diffWords(textOf(was.completion), textOf(is.completion)) : null),
    [was, is],
  );
  const failure = first.error ?? second.error;
  return (
    <div class="turns difference" data-testid="difference" tabIndex={0} role="group" aria-label={say('difference')}>
      <p class="sides">
        <span class="removed">
          − <LineFacts board={board} line={before} />
        </span>
        <span class="added">
          + <LineFacts board={board} line={after} />
        </span>
        <button
          type="button"
          class="ih-button ih-small"
          aria-pressed={beside.value}
          onClick={() => (beside.value = !beside.value)}
        >
          {say('beside')}
        </button>
      </p>
      {failure !== null && <Empty title={say('failure')} text={failure} />}
      {asks &&
        was?.prompt.map((message, at) => <Turn key={at} board={board} message={message} side="prompt" of={was.of} />)}
      {beside.value ? (
        <div class="beside">
          {[was, is].map((value, side) => (
            <article key={side}>
              {value?.completion.map((message, at) => (
                <Turn key={at} board={board} message={message} side="completion" of={value.of} />
              ))}
            </article>
          ))}
        </div>
      ) : (
        <pre class="diff">
          {pieces?.map(({ kind, text }, at) =>
            kind === 'same' ? text : kind === 'removed' ? <del key={at}>{text}</del> : <ins key={at}>{text}</ins>,
          )}
        </pre>
      )}
    </div>
  );
}

import { Dialog, message, Select, TagName, valueText } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { stepOf } from '../card/reading';
import type { CardDialogProps } from './parts';

const KINDS = ['nonfinite', 'above', 'below', 'jump'] as const;
const MOST = 100; // runs that are listed
const SIGMA = 5;

/** What `/first` found in one run. */
interface Found {
  readonly run: string;
  /** Text beyond 2^53. */
  readonly step: number | string;
  readonly wall_time: number;
  readonly value: number | string;
}

interface Answer {
  readonly points: number;
  readonly series: number;
  readonly found: readonly Found[];
}

/**
 * Finds the first step where something happens to a tag, in the selected runs, and takes the cursor of all tabs there.
 */
export function FirstDialog({ board, tag, onClose }: CardDialogProps): JSX.Element {
  const { t: say, ctx, locale } = board.page;
  const kind = useSignal<(typeof KINDS)[number]>('nonfinite');
  const limit = useSignal('');
  const sigma = useSignal(String(SIGMA));
  const answer = useSignal<Answer | null>(null);
  const error = useSignal('');
  const request = useSignal<AbortController | null>(null);
  useEffect(() => () => request.peek()?.abort(), []);
  const isLimit = kind.value === 'above' || kind.value === 'below';
  const amount = isLimit ? limit : sigma;
  const isReady = kind.value === 'nonfinite' || Number.isFinite(parseFloat(amount.value));

  const pin = ({ step, wall_time }: Found): void => ctx.cursor.pin({ step: Number(step), wallTime: wall_time });
  const find = async (): Promise<void> => {
    request.peek()?.abort();
    const own = (request.value = new AbortController());
    answer.value = null;
    error.value = '';
    const query = {
      tag,
      run: board.tags.runNames(tag),
      when: kind.value,
      value: isLimit ? limit.value : null,
      sigma: kind.value === 'jump' ? sigma.value : null,
      attempts: board.attempts.value,
    };
    try {
      const found = await ctx.data.json<Answer>('first', query, { signal: own.signal });
      answer.value = found;
      if (found.found[0]) pin(found.found[0]);
    } catch (cause) {
      if (!own.signal.aborted) error.value = message(cause);
    }
    if (request.peek() === own) request.value = null;
  };
  return (
    <Dialog
      name="first"
      title={say('first.title')}
      onClose={onClose}
      onSubmit={() => {
        if (isReady && !ctx.isSnapshot) void find();
      }}
      foot={
        <button type="submit" class="primary" data-action="first-find" disabled={!isReady || ctx.isSnapshot}>
          {say('first.find')}
        </button>
      }
    >
      <p class="hint">
        <TagName title={board.page.titleOf(tag)} />
      </p>
      <div class="row">
        <Select
          name="first-kind"
          label={say('first.kind')}
          value={kind.value}
          options={KINDS.map((value) => ({ value, text: say(`first.${value}`) }))}
          onPick={(value) => {
            request.peek()?.abort(); // its answer is about another condition
            kind.value = value;
            answer.value = null;
            error.value = '';
          }}
        />
        {kind.value !== 'nonfinite' && (
          <input
            type="text"
            inputMode="decimal"
            data-control="first-amount"
            aria-label={say(isLimit ? 'first.limit' : 'first.sigma')}
            placeholder={say(isLimit ? 'first.limit' : 'first.sigma')}
            value={amount.value}
            onInput={(event) => (amount.value = event.currentTarget.value)}
          />
        )}
      </div>
      {ctx.isSnapshot && <p class="hint">{say('snapshot.absent')}</p>}
      {kind.value === 'jump' && <p class="hint">{say('first.jump.hint')}</p>}
      {error.value && (
        <p class="bad" role="alert">
          {error.value}
        </p>
      )}
      <p class="hint" role="status">
        {request.value !== null && say('first.busy')}
        {answer.value &&
          say(answer.value.found.length > 0 ? 'first.found' : 'first.none', {
            found: answer.value.found.length,
            runs: answer.value.series,
            points: answer.value.points,
          })}
      </p>
      <ul class="choices">
        {answer.value?.found.slice(0, MOST).map((point) => (
          <li key={point.run}>
            <button
              type="button"
              data-action="first-go"
              data-run={point.run}
              onClick={() => {
                pin(point);
                onClose();
              }}
            >
              <i class="dot" style={{ background: board.page.colorOf(point.run) }} />{' '}
              {say('first.place', {
                run: board.page.nameOf(point.run),
                step: stepOf(point.step).toLocaleString(locale.value),
                value: valueText(Number(point.value)),
              })}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Dialogs about the axes of a card: their limits, what the horizontal one shows, a second vertical one. */
import { byName, Dialog } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { setAxis, setPair } from '../board';
import { isMetric, metricName } from '../card/axis';
import type { LogFlags, Range, Zoom } from '../card/zooms';
import { expressionOf, quoted, tagOf } from '../derived';
import { reasonOf } from './derived_dialog';
import { DialogEnd, ExpressionInput, ExpressionProblem, type CardDialogProps } from './parts';

/** What is typed as the limits of two axes. */
interface LimitTexts {
  readonly x0: string;
  readonly x1: string;
  readonly y0: string;
  readonly y1: string;
}

type Problem = 'limits.both' | 'limits.number' | 'limits.order' | 'limits.positive';

/** The limits, or the key of a text that says what is wrong with them. Two empty fields set no limit. */
export function readLimits({ x0, x1, y0, y1 }: LimitTexts, log: LogFlags): Zoom | Problem {
  const [x, y] = [readRange(x0, x1, log.x), readRange(y0, y1, log.y)];
  if (typeof x === 'string') return x;
  return typeof y === 'string' ? y : { x, y };
}

function readRange(from: string, to: string, log: boolean): Range | null | Problem {
  if (!from.trim() && !to.trim()) return null;
  if (!from.trim() || !to.trim()) return 'limits.both';
  const [low, high] = [Number(from), Number(to)];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return 'limits.number';
  if (low >= high) return 'limits.order';
  return log && low <= 0 ? 'limits.positive' : [low, high];
}

const FIELDS = ['x0', 'x1', 'y0', 'y1'] as const;

/** Types the limits of the axes of a card; an axis without limits shows everything. */
export function LimitsDialog({ board, tag, onClose }: CardDialogProps): JSX.Element {
  const { t: say } = board.page;
  const log = board.logs.of(tag);
  const zoom = board.zooms.of(tag);
  const texts = useSignal<LimitTexts>({
    x0: String(zoom.x?.[0] ?? ''),
    x1: String(zoom.x?.[1] ?? ''),
    y0: String(zoom.y?.[0] ?? ''),
    y1: String(zoom.y?.[1] ?? ''),
  });
  const problem = useSignal<string | null>(null);
  const apply = (): void => {
    const limits = readLimits(texts.value, log);
    if (typeof limits === 'string') return void (problem.value = limits);
    if (limits.x || limits.y) board.zooms.look(tag, limits, 'zoom');
    else board.zooms.reset(tag);
    onClose();
  };
  return (
    <Dialog
      name="limits"
      title={say('limits.of', { tag: board.page.titleOf(tag) })}
      onClose={onClose}
      onSubmit={apply}
      foot={<DialogEnd page={board.page} verb={say('limits.set')} onClose={onClose} />}
    >
      <p class="hint">{say('limits.hint')}</p>
      {(['x', 'y'] as const).map((axis) => (
        <div key={axis} class="row">
          <span class="axis">{say(`limits.${axis}`)}</span>
          {FIELDS.filter((field) => field.startsWith(axis)).map((field, i) => (
            <input
              key={field}
              name={field}
              inputMode="decimal"
              autocomplete="off"
              autofocus={field === 'y0'}
              aria-label={`${say(`limits.${axis}`)}: ${say(i === 0 ? 'limits.from' : 'limits.to')}`}
              placeholder={say(i === 0 ? 'limits.from' : 'limits.to')}
              value={texts.value[field]}
              onInput={(e) => (texts.value = { ...texts.value, [field]: e.currentTarget.value })}
            />
          ))}
        </div>
      ))}
      <p class="problem" role="alert">
        {problem.value ? say(problem.value) : '\u00a0'}
      </p>
    </Dialog>
  );
}

const MOST_SUGGESTED = 100; // tags listed at once

/** Chooses a metric for the horizontal axis: a tag, a computed series, or an expression. */
export function AxisDialog({ board, onClose }: CardDialogProps): JSX.Element {
  const { t: say } = board.page;
  const axis = board.x.value;
  const chosen = isMetric(axis) ? metricName(axis, board.page, board.derived) : '';
  const text = useSignal(chosen);
  const problem = useSignal<string | null>(null);
  const wanted = text.value === chosen ? '' : text.value.toLowerCase();
  const tags = [...board.tags.runsByTag.value.keys()]
    .filter((tag) => [tag, board.page.titleOf(tag)].some((name) => name.toLowerCase().includes(wanted)))
    .sort(byName);
  const pick = async (typed: string): Promise<void> => {
    try {
      const found = await board.page.ctx.data.json<{ text: string }>('expression', { text: typed });
      setAxis(board, `=${found.text}`);
      onClose();
    } catch (error) {
      problem.value = reasonOf(error, say);
    }
  };
  return (
    <Dialog
      name="axis"
      title={say('axis.title')}
      onClose={onClose}
      onSubmit={() => {
        const named = tags.find((tag) => tag === text.value || board.page.titleOf(tag) === text.value);
        void pick(named === undefined ? text.value : (expressionOf(named) ?? quoted(named)));
      }}
      foot={<DialogEnd page={board.page} verb={say('axis.set')} onClose={onClose} />}
    >
      <p class="hint">{say('axis.hint')}</p>
      <ExpressionInput name="axis" label={say('axis.title')} example="tokens / 1e6" text={text} problem={problem} />
      <ExpressionProblem name="axis" problem={problem} />
      <ul class="choices inputs" aria-label={say('derived.tags')}>
        {tags.slice(0, MOST_SUGGESTED).map((tag) => (
          <li key={tag}>
            <button
              type="button"
              data-tag={tag}
              aria-pressed={axis === tag || axis === tagOf(JSON.stringify(tag))}
              onClick={() => void pick(expressionOf(tag) ?? quoted(tag))}
            >
              {board.page.titleOf(tag)}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

const MOST_LISTED = 200; // tags listed at once; the filter finds the others

/** Chooses a second tag for a card, on an axis of its own. */
export function PairDialog({ board, tag, onClose }: CardDialogProps): JSX.Element {
  const { t: say } = board.page;
  const filter = useSignal('');
  const wanted = filter.value.toLowerCase();
  const tags = [...board.tags.runsByTag.value.keys()]
    .filter((name) => name !== tag && name.toLowerCase().includes(wanted))
    .sort(byName);
  const current = board.pairs.value.get(tag) ?? null;
  const pick = (second: string | null): void => {
    setPair(board, tag, second);
    onClose();
  };
  return (
    <Dialog
      name="pair"
      title={say('pair.title')}
      onClose={onClose}
      foot={
        current !== null && (
          <button type="button" data-action="unpair" onClick={() => pick(null)}>
            {say('pair.remove')}
          </button>
        )
      }
    >
      <p class="hint">{say('pair.hint', { tag: board.page.titleOf(tag) })}</p>
      <input
        type="search"
        autofocus
        aria-label={say('pair.filter')}
        placeholder={say('pair.filter')}
        value={filter.value}
        onInput={(e) => (filter.value = e.currentTarget.value)}
      />
      <ul class="choices">
        {tags.slice(0, MOST_LISTED).map((name) => (
          <li key={name}>
            <button type="button" data-tag={name} aria-pressed={name === current} onClick={() => pick(name)}>
              {board.page.titleOf(name)}
            </button>
          </li>
        ))}
      </ul>
      {tags.length > MOST_LISTED && <p class="hint">{say('more', { count: tags.length - MOST_LISTED })}</p>}
    </Dialog>
  );
}

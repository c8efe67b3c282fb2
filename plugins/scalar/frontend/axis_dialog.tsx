import { useSignal } from '@preact/signals';
import { byName, Dialog } from '@insight-host/kit';
import type { JSX } from 'preact';
import { isMetric, metricName } from './axis';
import { setAxis } from './board';
import type { CardDialogProps } from './card_dialog';
import { expressionOf, quoted, tagOf } from './derived';
import { reasonOf } from './derived_dialog';
import { DialogEnd } from './dialog_end';
import { ExpressionInput, ExpressionProblem } from './expression_input';

const MOST = 100; // tags listed at once

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
    <Dialog name="axis" title={say('axis.title')} onClose={onClose}>
      <p class="hint">{say('axis.hint')}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const named = tags.find((tag) => tag === text.value || board.page.titleOf(tag) === text.value);
          void pick(named === undefined ? text.value : (expressionOf(named) ?? quoted(named)));
        }}
      >
        <ExpressionInput name="axis" label={say('axis.title')} example="tokens / 1e6" text={text} problem={problem} />
        <ExpressionProblem name="axis" problem={problem} />
        <ul class="choices inputs" aria-label={say('derived.tags')}>
          {tags.slice(0, MOST).map((tag) => (
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
        <DialogEnd page={board.page} onClose={onClose} />
      </form>
    </Dialog>
  );
}

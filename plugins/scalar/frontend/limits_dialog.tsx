import { useSignal } from '@preact/signals';
import { Dialog } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { CardDialogProps } from './card_dialog';
import { readLimits, type LimitTexts } from './limits';

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
  const apply = (event: Event): void => {
    event.preventDefault();
    const limits = readLimits(texts.value, log);
    if (typeof limits === 'string') return void (problem.value = limits);
    if (limits.x || limits.y) board.zooms.look(tag, limits, 'zoom');
    else board.zooms.reset(tag);
    onClose();
  };
  return (
    <Dialog name="limits" title={say('limits.of', { tag: board.page.titleOf(tag) })} onClose={onClose}>
      <p class="hint">{say('limits.hint')}</p>
      <form onSubmit={apply}>
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
        <div class="row end">
          <button type="button" data-action="cancel" onClick={onClose}>
            {say('cancel')}
          </button>
          <button type="submit" class="primary" data-action="apply">
            {say('apply')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

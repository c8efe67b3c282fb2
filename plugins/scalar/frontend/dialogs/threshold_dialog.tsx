import { Button, Dialog } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { readForm, thresholdText, writeForm, type ThresholdForm, type ThresholdProblem } from '../card/thresholds';
import { DialogEnd, type CardDialogProps } from './parts';

export function ThresholdDialog({ board, tag, onClose }: CardDialogProps): JSX.Element {
  const { t: say } = board.page;
  const form = useSignal<ThresholdForm>(writeForm(board.thresholds.byTag.value.get(tag) ?? null));
  const everywhere = useSignal(false);
  const problem = useSignal<ThresholdProblem | null>(null);
  const set = (part: Partial<ThresholdForm>): void => {
    form.value = { ...form.value, ...part };
    problem.value = null;
  };
  const apply = (): void => {
    const read = readForm(form.value);
    if (typeof read === 'string') {
      problem.value = read;
      return;
    }
    board.thresholds.set(everywhere.value ? board.filter.shown.value : [tag], read);
    onClose();
  };
  const there = [...board.thresholds.byTag.value];
  const { operator, value, join, secondOperator, secondValue } = form.value;
  return (
    <Dialog
      name="threshold"
      title={say('threshold.of', { tag: board.page.titleOf(tag) })}
      onClose={onClose}
      onSubmit={apply}
      foot={<DialogEnd page={board.page} verb={say('threshold.set')} onClose={onClose} />}
    >
      <p class="hint">{say('threshold.hint')}</p>
      <div class="row">
        <Operator label={say('threshold.operator')} value={operator} onPick={(o) => set({ operator: o })} />
        <input
          aria-label={say('threshold.value')}
          name="value"
          inputMode="decimal"
          autoComplete="off"
          autofocus
          value={value}
          onInput={(e) => set({ value: e.currentTarget.value })}
        />
        <select
          aria-label={say('threshold.join')}
          name="join"
          value={join}
          onChange={(e) => set({ join: e.currentTarget.value as ThresholdForm['join'] })}
        >
          <option value="">—</option>
          <option value="and">{say('threshold.and')}</option>
          <option value="or">{say('threshold.or')}</option>
        </select>
      </div>
      {join && (
        <div class="row">
          <Operator
            label={say('threshold.operator')}
            value={secondOperator}
            onPick={(o) => set({ secondOperator: o })}
          />
          <input
            aria-label={say('threshold.second_value')}
            name="second"
            inputMode="decimal"
            autoComplete="off"
            value={secondValue}
            onInput={(e) => set({ secondValue: e.currentTarget.value })}
          />
        </div>
      )}
      <label>
        <input
          type="checkbox"
          name="everywhere"
          checked={everywhere.value}
          onChange={(e) => (everywhere.value = e.currentTarget.checked)}
        />
        {say('threshold.everywhere', { count: board.filter.shown.value.length })}
      </label>
      <p class="problem" role="alert">
        {problem.value ? say(problem.value) : '\u00a0'}
      </p>
      {there.length > 0 && (
        <div class="there">
          <div class="row between">
            <strong>{say('threshold.there', { count: there.length })}</strong>
            <button
              type="button"
              data-action="delete-all"
              onClick={() =>
                board.thresholds.set(
                  there.map(([name]) => name),
                  null,
                )
              }
            >
              {say('threshold.delete_all')}
            </button>
          </div>
          <ul>
            {there.map(([name, threshold]) => (
              <li key={name} data-tag={name}>
                <span class="name" title={board.page.titleOf(name)}>
                  {board.page.titleOf(name)}
                </span>
                <code>{thresholdText(threshold)}</code>
                <Button
                  action="delete"
                  icon="close"
                  label={say('threshold.delete', { tag: board.page.titleOf(name) })}
                  onPress={() => board.thresholds.set([name], null)}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  );
}

function Operator({
  label,
  value,
  onPick,
}: {
  readonly label: string;
  readonly value: '<' | '>';
  readonly onPick: (value: '<' | '>') => void;
}): JSX.Element {
  return (
    <select
      aria-label={label}
      name="operator"
      value={value}
      onChange={(e) => onPick(e.currentTarget.value as '<' | '>')}
    >
      <option value=">">&gt;</option>
      <option value="<">&lt;</option>
    </select>
  );
}

/** Fields that make the expression of MFU for the dialog of computed series. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { expressionOf } from '../derived';
import type { ScalarParts } from '../board';
import { isParameters, mfuExpression, parametersOf, tokensOf, tokenTags } from './mfu';

const NUMBERS = 'mfu-parameters';

interface Props {
  readonly board: ScalarParts;
  /** The tag of the card that opened the dialog. */
  readonly tag: string;
  /** Given with each whole expression. */
  readonly onExpression: (expression: string) => void;
}

export function MfuHelper({ board, tag, onExpression }: Props): JSX.Element | null {
  const { t: say } = board.page;
  const recorded = board.tags.runsByTag.value;
  const tags = useMemo(() => tokenTags([...recorded.keys()].filter((one) => expressionOf(one) === null)), [recorded]);
  const isOpen = useSignal(false);
  const chosen = useSignal(tokensOf(tag) === null ? '' : tag);
  const [peak, devices] = [useSignal(''), useSignal('1')];
  const parameters = useSignal<string | null>(null); // null: the number of the runs, if they have one
  const numbers = useParameters(board, isOpen.value);
  const own = chosen.value || (tags[0] ?? '');
  const known = parameters.value ?? (numbers.length === 1 ? String(numbers[0]) : '');
  if (tags.length === 0) return null;
  const expression = mfuExpression({
    tag: own,
    kind: tokensOf(own) ?? 'rate',
    parameters: parametersOf(known),
    peak: Number(peak.value),
    devices: Number(devices.value),
  });
  return (
    <details
      class="mfu"
      data-testid="mfu-helper"
      open={isOpen.value}
      onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}
    >
      <summary>{say('mfu.title')}</summary>
      <p class="hint">{say('mfu.hint')}</p>
      <div class="fields">
        <label>
          {say('mfu.tokens')}
          <select name="mfu-tag" value={own} onChange={(e) => (chosen.value = e.currentTarget.value)}>
            {tags.map((one) => (
              <option key={one} value={one}>
                {tokensOf(one) === 'count' ? say('mfu.count', { tag: one }) : one}
              </option>
            ))}
          </select>
        </label>
        <label>
          {say('mfu.parameters')}
          <input
            name="mfu-parameters"
            list={NUMBERS}
            autocomplete="off"
            placeholder="124M"
            value={known}
            onInput={(e) => (parameters.value = e.currentTarget.value)}
          />
          <datalist id={NUMBERS}>
            {numbers.map((number) => (
              <option key={number} value={number} />
            ))}
          </datalist>
        </label>
        <label>
          {say('mfu.peak')}
          <input
            name="mfu-peak"
            type="number"
            min={0}
            step="any"
            placeholder="989"
            value={peak.value}
            onInput={(e) => (peak.value = e.currentTarget.value)}
          />
        </label>
        <label>
          {say('mfu.devices')}
          <input
            name="mfu-devices"
            type="number"
            min={1}
            value={devices.value}
            onInput={(e) => (devices.value = e.currentTarget.value)}
          />
        </label>
        <button
          type="button"
          class="tool text"
          data-action="mfu-insert"
          disabled={expression === null}
          onClick={() => expression && onExpression(expression)}
        >
          {say('mfu.insert')}
        </button>
      </div>
      {numbers.length > 1 && <p class="hint">{say('mfu.several', { count: numbers.length })}</p>}
    </details>
  );
}

interface Listed {
  readonly key: string;
  readonly cells?: Readonly<Record<string, unknown>>;
}

/** The different numbers of parameters among the hyperparameters of the runs, the smallest first. */
function useParameters(board: ScalarParts, isWanted: boolean): readonly number[] {
  const numbers = useSignal<readonly number[]>([]);
  useEffect(() => {
    if (!isWanted) return;
    const stop = new AbortController();
    const ask = (column: readonly string[]): Promise<{ readonly columns: readonly Listed[] }> =>
      board.page.ctx.data.json('columns', { column }, { signal: stop.signal });
    ask([])
      .then(({ columns }) => columns.map(({ key }) => key).filter(isParameters))
      .then((keys) => (keys.length > 0 ? ask(keys) : { columns: [] }))
      .then(({ columns }) => {
        const shown = new Set(board.page.runs.value.map(({ name }) => name));
        const cells = columns.flatMap(({ cells: found }) => Object.entries(found ?? {}));
        const found = cells.flatMap(([run, value]) => (shown.has(run) && Number(value) > 0 ? [Number(value)] : []));
        numbers.value = [...new Set(found)].sort((a, b) => a - b);
      })
      .catch(() => undefined); // the number can be typed all the same
    return () => stop.abort();
  }, [isWanted]);
  return numbers.value;
}

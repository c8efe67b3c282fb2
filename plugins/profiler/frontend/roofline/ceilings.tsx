/** Ceilings of the device, which the user may replace: they are kept in the address, by the name of the device. */
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { ProfilerParts } from '../board';
import type { Ceiling, RooflineAnswer } from '../answers/roofline';
import { typeText } from './words';

const TERA = 1e12;

interface Props {
  readonly board: ProfilerParts;
  readonly answer: RooflineAnswer;
}

/** Fields in TB/s and TFLOP/s; empty ones show what the data sheet says. */
export function Ceilings({ board, answer }: Props): JSX.Element {
  const { t: say } = board.page;
  const isUnknown = answer.ceilings.every(({ rate }) => rate === null);
  const isOpen = useSignal(isUnknown);
  const own = answer.ceilings.filter(({ is_own: isOwn }) => isOwn);
  const used = new Set(answer.rows.map(({ precision }) => precision));
  const set = (name: string, value: number | null): void => {
    // by the address: the answer may lack what was typed last
    const given = (board.ceilingsQuery.peek() ?? '').split(',').filter((part) => part && !part.startsWith(`${name}:`));
    board.setCeilings([...given, ...(value === null ? [] : [`${name}:${Number(value.toPrecision(6))}`])].join());
  };
  return (
    <details
      class="ceilings"
      data-testid="ceilings"
      open={isOpen.value}
      onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}
    >
      <summary>{say(own.length > 0 ? 'roofline.ceilings.own' : 'roofline.ceilings')}</summary>
      <p class="hint">
        {answer.device !== null && !isUnknown
          ? say('roofline.ceilings.hint', { device: answer.device })
          : say('roofline.ceilings.unknown')}
      </p>
      <div class="fields">
        {answer.ceilings
          .filter(({ name, rate, is_own: isOwn }) => name === 'memory' || used.has(name) || rate !== null || isOwn)
          .map((ceiling) => (
            <Field key={ceiling.name} board={board} ceiling={ceiling} onSet={(value) => set(ceiling.name, value)} />
          ))}
        {own.length > 0 && (
          <button type="button" class="tool text" data-action="ceilings-reset" onClick={() => board.setCeilings('')}>
            {say('roofline.ceilings.reset')}
          </button>
        )}
      </div>
    </details>
  );
}

interface FieldProps {
  readonly board: ProfilerParts;
  readonly ceiling: Ceiling;
  readonly onSet: (value: number | null) => void;
}

function Field({ board, ceiling: { name, rate, is_own: isOwn }, onSet }: FieldProps): JSX.Element {
  const shown = rate === null ? '' : String(Number((rate / TERA).toPrecision(5)));
  return (
    <label class={isOwn ? 'own' : ''}>
      <span class="label">{name === 'memory' ? board.page.t('roofline.memory') : typeText(board, name)}</span>
      <input
        type="number"
        min={0}
        step="any"
        data-control={`ceiling-${name}`}
        placeholder={shown || '—'}
        value={isOwn ? shown : ''}
        onChange={({ currentTarget: { value } }) => onSet(Number(value) > 0 ? Number(value) : null)}
      />
      <span class="label">{name === 'memory' ? 'TB/s' : 'TFLOP/s'}</span>
    </label>
  );
}
